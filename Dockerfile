# An image with sitemend and nothing else: no shell, no package manager, no root. It works in
# /data, so that a folder that is mounted there gets the outputs (docs/install.md).
#
#   docker build -t sitemend .                       from this source
#   docker build --target=release ...                from a program that is built already (.goreleaser.yaml)

# The base has certificates, time zones and the user nonroot (65532).
ARG BASE=gcr.io/distroless/static-debian12:nonroot
ARG GO=golang:1.26

FROM --platform=$BUILDPLATFORM $GO AS source
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags='-s -w' -o /sitemend ./cmd/sitemend

# An empty folder: who mounts a new volume there gets its owner, too.
FROM scratch AS empty
WORKDIR /data

FROM $BASE AS base
COPY --from=empty --chown=65532:65532 /data /data
WORKDIR /data
VOLUME /data
USER 65532:65532
ENTRYPOINT ["/usr/bin/sitemend"]

FROM base AS release
ARG TARGETPLATFORM
COPY LICENSE .extras/THIRD-PARTY-NOTICES.txt /usr/share/doc/sitemend/
COPY $TARGETPLATFORM/sitemend /usr/bin/sitemend

FROM base
COPY LICENSE /usr/share/doc/sitemend/
COPY --from=source /sitemend /usr/bin/sitemend
