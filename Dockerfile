FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY app/framework/package.json app/framework/
RUN npm ci --omit=dev --no-audit --no-fund

# Compiles the code once, so that each container starts in half of the time. Node reads the cache of its own user only, and
# accepts only code that was compiled with the same options. Without settings, each program loads its code and exits.
FROM dependencies AS compiled
COPY . .
RUN mkdir -p node_modules/.cache && chown node node_modules/.cache
USER node
RUN export NODE_ENV=production \
  && ! node --max-semi-space-size=4 --heap-growing-percent=150 app/start.js 2> /dev/null \
  && ! node cli/bin.js worker 2> /dev/null \
  && ! node cli/bin.js db migrate 2> /dev/null \
  && chmod -R a+rX node_modules/.cache

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKER__PORT=3000
WORKDIR /app
COPY --from=dependencies /app ./
COPY --from=compiled /app/node_modules/.cache node_modules/.cache
COPY . .
# The files stay root's: the server can read its code, and not change it.
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Migrations are a step of their own, before the new version starts:
# docker run --rm --env-file production.env pergola node cli/bin.js db migrate
#
# docker stop kills after 10 seconds, which is enough for a server. A worker needs 30:
# docker run --stop-timeout 30 --env-file production.env pergola node cli/bin.js worker
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=150", "app/start.js"]
