# The watch-forwarder: one file on Node, nothing else. `npm run image` builds it. The build context is dist/programs.
# BASE is an image of Node by its digest, from base-image.json.
ARG BASE
FROM ${BASE}
WORKDIR /app
COPY watch-forwarder.mjs ./
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["node", "--max-old-space-size=96", "--max-semi-space-size=2", "watch-forwarder.mjs"]
