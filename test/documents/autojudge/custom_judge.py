"""A judge with a nugget format of its own, as AutoJudge's guide describes them."""

from typing import ClassVar, Dict, List, Type

from my_judge import SimpleJudge, leaderboard_of
from pydantic import BaseModel


class FactBank(BaseModel):
    topic_id: str
    facts: List[str]

    @property
    def query_id(self) -> str:
        return self.topic_id


class FactBanks(BaseModel):
    _bank_model: ClassVar[Type[FactBank]] = FactBank
    banks: Dict[str, FactBank] = {}

    @classmethod
    def from_banks_list(cls, banks: List[FactBank], overwrite: bool = False):
        return cls(banks={bank.query_id: bank for bank in banks})


class FactJudge(SimpleJudge):
    nugget_banks_type = FactBanks

    def create_nuggets(self, rag_responses, rag_topics, llm_config, **kwargs):
        banks = [FactBank(topic_id=topic.request_id, facts=topic.title.split()) for topic in rag_topics]
        return FactBanks.from_banks_list(banks)

    def judge(self, rag_responses, rag_topics, llm_config, nugget_banks=None, **kwargs):
        return leaderboard_of(rag_responses, lambda topic: float(len(nugget_banks.banks[topic].facts))), None
