#!/usr/bin/env bash
# deploy/images/prove.sh [APP…]: makes bases, builds the images with buildah, and runs each with podman as Kubernetes would: nobody, no
# capabilities, nothing to write to, no network. As root, with buildah, podman, runc and debootstrap, in some minutes and 2 GB of
# storage of its own, which it removes. Pulls no image. BUILD_OPTIONS and RUN_OPTIONS are for machines that want their own.
set -euo pipefail
cd "$(dirname "$0")/../.."

apps=("$@")
[ "${#apps[@]}" -gt 0 ] || apps=(gateway discovery driver supervisor edge boundary cli)
work=${WORK:-$(mktemp -d)}
export TMPDIR=$work/tmp
storage=(--root "$work/storage" --runroot "$work/run")
mkdir -p "$TMPDIR"
end() {
  local status=$?
  podman "${storage[@]}" rm --all --force >/dev/null 2>&1 || true
  [ -n "${WORK:-}" ] || rm -rf "$work"
  exit "$status"
}
trap end EXIT

[ -e "$work/builder/usr/bin/npm" ] || deploy/images/make-base.sh "$work"
for base in base builder; do
  # The same one again, in a WORK that is kept: what was built on it counts still.
  ! buildah "${storage[@]}" inspect "localhost/sallyport-$base" >/dev/null 2>&1 || continue
  container=$(buildah "${storage[@]}" from scratch)
  buildah "${storage[@]}" add --quiet "$container" "$work/$base" / >/dev/null
  buildah "${storage[@]}" commit --quiet "$container" "localhost/sallyport-$base" >/dev/null
  buildah "${storage[@]}" rm "$container" >/dev/null
done

TOOL="buildah ${storage[*]}" OPTIONS="--isolation chroot --pull-never --layers ${BUILD_OPTIONS:-}" PREFIX=localhost/sallyport- TAG=proof \
  BASE=localhost/sallyport-base BUILDER=localhost/sallyport-builder deploy/images/build.sh "${apps[@]}"

for app in "${apps[@]}"; do
  image=localhost/sallyport-$app:proof
  # shellcheck disable=SC2086
  said=$(podman "${storage[@]}" --runtime runc run --rm --pull never --read-only --cap-drop all --security-opt no-new-privileges \
    --network none ${RUN_OPTIONS:-} "$image" --version)
  bytes=$(podman "${storage[@]}" image inspect --format '{{.Size}}' "$image")
  user=$(podman "${storage[@]}" image inspect --format '{{.User}}' "$image")
  echo "$image: $said, as $user, $((bytes / 1000000)) MB"
done
