# jb in a container, of the file that `npm pack` makes: npm pack && docker build -t jb .
#
#   docker run --rm jb read example > pairs.jsonl
#   docker run --rm -i -e OPENAI_API_KEY -v jb:/cache --entrypoint bash jb -o pipefail -c \
#     'jb-render arena_hard | jb-call -m gpt-4o | jb-parse | jb-aggregate' < pairs.jsonl
FROM node:22-alpine
RUN apk add --no-cache bash make jq
COPY jb-filters-*.tgz /tmp/jb/
RUN npm install --global --offline --no-audit --no-fund /tmp/jb/jb-filters-*.tgz && rm -r /tmp/jb
# Replies that were paid for: a volume here keeps them, whoever the user is.
ENV XDG_CACHE_HOME=/cache
RUN mkdir -m 1777 /cache
WORKDIR /data
USER node
ENTRYPOINT ["jb-filters"]
