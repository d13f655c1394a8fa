#!/usr/bin/env bash
# deploy/images/build.sh [APP…]: builds the images, all of them unless named. With docker, or with another tool of the same words:
#   TOOL='buildah' deploy/images/build.sh gateway
# PREFIX and TAG name them, BASE and BUILDER are what they stand on, OPTIONS go to the tool as they are.
set -euo pipefail
cd "$(dirname "$0")/../.."

apps=("$@")
[ "${#apps[@]}" -gt 0 ] || apps=(gateway discovery driver supervisor edge boundary cli)
prefix=${PREFIX:-sallyport-}
tag=${TAG:-$(node -p 'require("./package.json").version')}

for app in "${apps[@]}"; do
  # shellcheck disable=SC2086
  ${TOOL:-docker} build ${OPTIONS:-} \
    --build-arg "APP=$app" \
    ${BASE:+--build-arg "BASE=$BASE"} \
    ${BUILDER:+--build-arg "BUILDER=$BUILDER"} \
    --file deploy/images/Dockerfile \
    --tag "$prefix$app:$tag" .
done
