# Builds Tilth with the packages that it is developed with, and keeps the binary and what it needs at run time.
#   docker build -t tilth . && docker run -p 8080:8080 -v tilth:/var/lib/tilth tilth

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY packages.txt ./
COPY scripts/install-packages.sh scripts/
RUN scripts/install-packages.sh build
COPY . .
RUN cmake --preset release \
 && cmake --build --preset release --target tilth \
 && ldd build/release/tilth | awk '$2 == "=>" {print $3}' | xargs realpath \
    | (xargs dpkg -S 2>/dev/null || true) | cut -d: -f1 | sort -u >libraries.txt \
 && scripts/sbom.py build/release/tilth >tilth.cdx.json

FROM debian:bookworm-slim
WORKDIR /tmp/tilth
COPY packages.txt ./
COPY scripts/install-packages.sh scripts/
COPY --from=build /src/libraries.txt ./
RUN scripts/install-packages.sh run \
 && apt-get install -qq -y --no-install-recommends $(cat libraries.txt) \
 && rm -rf /var/lib/apt/lists/* /tmp/tilth \
 && useradd --system --home /var/lib/tilth --create-home tilth
COPY --from=build /src/build/release/tilth /usr/local/bin/tilth
COPY --from=build /src/tilth.cdx.json /usr/share/doc/tilth/
WORKDIR /var/lib/tilth
USER tilth
ENV TILTH_DATA=/var/lib/tilth TILTH_LISTEN=0.0.0.0:8080
VOLUME /var/lib/tilth
EXPOSE 8080
ENTRYPOINT ["tilth"]
CMD ["serve"]
