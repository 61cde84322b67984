"""Judges in the shapes of AutoJudge's guide."""

from typing import Type

from trec_auto_judge import (
    LeaderboardBuilder,
    LeaderboardSpec,
    MeasureSpec,
    NuggetBanks,
    QrelsSpec,
    auto_judge_to_click_command,
    build_qrels,
    mean_of_floats,
)
from trec_auto_judge.nugget_data import (
    NuggetBank,
    NuggetBanksProtocol,
    NuggetizerNugget,
    NuggetizerNuggetBank,
    NuggetizerNuggetBanks,
    NuggetQuestion,
)


def leaderboard_of(rag_responses, value):
    builder = LeaderboardBuilder(LeaderboardSpec(measures=(MeasureSpec("SCORE", mean_of_floats),)))
    for response in rag_responses:
        meta = response.metadata
        builder.add(run_id=meta.run_id, topic_id=meta.topic_id, values={"SCORE": value(meta.topic_id)})
    return builder.build()


class SimpleJudge:
    def judge(self, rag_responses, rag_topics, llm_config, **kwargs):
        return leaderboard_of(rag_responses, lambda topic: 1.0), None

    def create_nuggets(self, rag_responses, rag_topics, llm_config, **kwargs):
        return None


class MyJudge:
    """Scores a topic's number of nuggets, times the threshold."""

    nugget_banks_type: Type[NuggetBanksProtocol] = NuggetBanks

    def create_nuggets(self, rag_responses, rag_topics, llm_config, nugget_banks=None, **kwargs):
        banks = []
        for topic in rag_topics:
            bank = NuggetBank(query_id=topic.request_id, title_query=topic.title)
            words = topic.title.split()[: kwargs.get("top_k", 20)]
            bank.add_nuggets([NuggetQuestion.from_lazy(topic.request_id, word, ["yes"]) for word in words])
            banks.append(bank)
        return NuggetBanks.from_banks_list(banks)

    def judge(self, rag_responses, rag_topics, llm_config, nugget_banks=None, threshold=1.0, **kwargs):
        print("JUDGE", llm_config.model, sorted(kwargs))
        if "said" in kwargs:
            print("SAID", kwargs["said"][0]["about"])

        def value(topic):
            bank = nugget_banks.banks.get(topic) if nugget_banks else None
            return threshold * (len(bank.nugget_bank) if bank else 1)

        spec = QrelsSpec(
            topic_id=lambda response: response.metadata.topic_id,
            doc_id=lambda response: response.metadata.run_id,
            grade=lambda response: 1,
            on_duplicate="keep_max",
        )
        return leaderboard_of(rag_responses, value), build_qrels(records=rag_responses, spec=spec)


class NuggetizerJudge(SimpleJudge):
    nugget_banks_type: Type[NuggetBanksProtocol] = NuggetizerNuggetBanks

    def create_nuggets(self, rag_responses, rag_topics, llm_config, **kwargs):
        banks = []
        for topic in rag_topics:
            bank = NuggetizerNuggetBank(qid=topic.request_id, query=topic.title)
            bank.nuggets = [NuggetizerNugget(text="Key fact 1"), NuggetizerNugget(text="Key fact 2")]
            banks.append(bank)
        return NuggetizerNuggetBanks.from_banks_list(banks)


cli = auto_judge_to_click_command

if __name__ == "__main__":
    cli(MyJudge(), "my-judge")
