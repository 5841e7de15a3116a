# Three stages, so that the image holds the compiled gateway and what it runs on, and nothing it was built with.
# Install scripts stay off: the only one that does anything here fetches a Node, and the image is one.

FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && rm -rf dist/compile-cache/* && chmod 777 dist/compile-cache
# Node keeps its compile cache for each user apart. This one serves, and may read it but not write.
USER node
RUN npm run build:cache && chmod -R a+rX dist/compile-cache/*
USER root
RUN chmod 755 dist/compile-cache

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24.21.0-slim AS gateway
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY config ./config
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Beside the program, because the folder of the configuration may be mounted over.
COPY config/docs/runbook.md ./dist/runbook.md
COPY config/examples ./dist/examples
USER node
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT ?? 9090}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1))"]
CMD ["node", "dist/main.js", "start"]
