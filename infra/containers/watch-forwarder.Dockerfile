# The watch-forwarder: one file on Node, nothing else. The build context is dist/programs.
#   npm run build && docker build -f infra/containers/watch-forwarder.Dockerfile -t watch-forwarder dist/programs
FROM public.ecr.aws/docker/library/node:24-alpine
WORKDIR /app
COPY watch-forwarder.mjs ./
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["node", "--max-old-space-size=96", "--max-semi-space-size=2", "watch-forwarder.mjs"]
