#!/usr/bin/env bash
# The chart on a kind cluster of its own, and the cases on it that run as local processes everywhere else. Wants docker, kind, kubectl and
# helm, and by name what it does not choose for you:
#   CALICO_MANIFEST  file or URL of a network plugin that enforces NetworkPolicies, of a version that you trust
#   ETCD_IMAGE       an etcd of 3.6.11 or later
# Leaves reports/kind/ with the logs if anything fails, and no cluster, unless KEEP=yes.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${CALICO_MANIFEST:?file or URL of the network plugin}" "${ETCD_IMAGE:?an etcd of 3.6.11 or later}"

cluster=sallyport
namespace=sallyport
domain=apps.sallyport.test
tag=$(node -p 'require("./package.json").version')
apps=(gateway discovery driver supervisor edge boundary)
work=$(mktemp -d)
export KUBECONFIG=$work/kubeconfig
cli() { node --conditions=@sallyport/source apps/cli/src/main.ts "$@"; }
here() { kubectl --namespace "$namespace" "$@"; }

end() {
  local status=$?
  if [ "$status" -ne 0 ] && [ -e "$KUBECONFIG" ]; then
    mkdir -p reports/kind
    here get pods,services,networkpolicies -o wide >reports/kind/objects.txt 2>&1 || true
    for pod in $(here get pods -o name); do here logs --all-containers --prefix "$pod" >"reports/kind/${pod##*/}.log" 2>&1 || true; done
  fi
  [ "${KEEP:-}" = yes ] || kind delete cluster --name "$cluster" || true
  [ "${KEEP:-}" = yes ] || rm -rf "$work"
  exit "$status"
}
trap end EXIT

# One question from inside, by a Pod in a namespace; prints one word.
ask() {
  local from=$1 address=$2 port=$3 host=$4
  kubectl --namespace "$from" run "ask-$RANDOM" --rm --quiet --attach --restart=Never --image="sallyport-supervisor:$tag" \
    --image-pull-policy=Never --env="CA_PEM=$(cat "$work/pki/apps-ca.crt")" \
    --command -- node --input-type=module --eval "$(cat deploy/kind/ask.mjs)" -- "$address" "$port" "$host"
}
expect() {
  local want=$1 got
  shift
  got=$(ask "$@")
  echo "from $1 to $2:$3: $got"
  [ "$got" = "$want" ] || { echo "wanted $want" >&2 && return 1; }
}
until_answer() {
  local want=$1 tries=60
  shift
  until [ "$(ask "$@")" = "$want" ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "no $want from $2:$3" >&2 && return 1; }
  done
}

kind create cluster --name "$cluster" --config deploy/kind/cluster.yaml
kubectl apply -f "$CALICO_MANIFEST"
kubectl wait --for=condition=Ready nodes --all --timeout=300s

deploy/images/build.sh "${apps[@]}"
for app in "${apps[@]}"; do kind load docker-image --name "$cluster" "sallyport-$app:$tag"; done
docker pull "$ETCD_IMAGE"
kind load docker-image --name "$cluster" "$ETCD_IMAGE"

kubectl create namespace "$namespace"
kubectl create namespace elsewhere
cli pki secrets "$work/pki" --namespace "$namespace" --domain "$domain" | kubectl apply -f -
cli pki token "$work/pki" --principal edge --role reader --days 2 >"$work/edge.token"
cli pki token "$work/pki" --principal kind --role admin >"$work/admin.token"
here create secret generic sallyport-edge-token --from-file=token="$work/edge.token"

for delivery in push poll; do
  helm upgrade --install sallyport deploy/helm/sallyport --namespace "$namespace" --values deploy/helm/sallyport/ci/values-kind.yaml \
    --set etcd.bundled.image="$ETCD_IMAGE" --set image.pullPolicy=Never --set supervisors.delivery="$delivery" --wait --timeout 5m
  here port-forward service/sallyport-gateway 7443 >/dev/null &
  forward=$!
  until cli grant set edge team --gateway localhost:7443 --ca-file "$work/pki/internal-ca.crt" --token-file "$work/admin.token"; do sleep 1; done
  kill "$forward"
  echo "dedicated, $delivery"
  host=team--own--web.$domain
  until_answer 200 elsewhere "sallyport-edge.$namespace.svc" 443 "$host"
  own=$(here get pod -l sallyport.dev/sandbox=own -o 'jsonpath={.items[0].status.podIP}')
  shared=$(here get pod -l sallyport.dev/pool=shared -o 'jsonpath={.items[0].status.podIP}')
  # Past the edge nobody comes: not to a supervisor, not to what supervisors call, not to the store.
  expect silence elsewhere "$own" 8443 "$host"
  expect silence elsewhere "$shared" 8443 "$host"
  expect silence elsewhere "sallyport-gateway-0.sallyport-gateways.$namespace.svc" 7444 "$host"
  expect silence elsewhere "sallyport-etcd.$namespace.svc" 2379 "$host"
done

# The four cases that everything was asked for with, and the rest of those that any cluster can take: Pods of their own, clients inside.
kubectl create namespace sallyport-e2e
npm run e2e -- --kubeconfig "$KUBECONFIG" --namespace sallyport-e2e --images "sallyport-{app}:$tag" --etcd-image "$ETCD_IMAGE" \
  --node-image "sallyport-supervisor:$tag" seed-cases kubernetes.e2e
