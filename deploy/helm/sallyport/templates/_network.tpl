{{/* A NetworkPolicy for one kind of Pod: `app`, `ingress` and `egress` (lists of rules). What is not listed is refused. */}}
{{- define "sallyport.policy" -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .root.Release.Name }}-{{ .app }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "sallyport.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "sallyport.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- if .ingress }}
  ingress: {{- toYaml .ingress | nindent 4 }}
  {{- end }}
  {{- if .egress }}
  egress: {{- toYaml .egress | nindent 4 }}
  {{- end }}
{{- end }}

{{/* One rule as JSON. `peers`: a list, empty for anybody; `ports`: numbers. `way`: from or to. */}}
{{- define "sallyport.rule" -}}
{{- $ports := list -}}
{{- range .ports }}{{ $ports = append $ports (dict "protocol" "TCP" "port" (int .)) }}{{ end -}}
{{- $rule := dict "ports" $ports -}}
{{- if .peers }}{{ $_ := set $rule .way .peers }}{{ end -}}
{{ $rule | toJson }}
{{- end }}

{{/* Our own Pods of these kinds, as peers. */}}
{{- define "sallyport.ours" -}}
{{- $peers := list -}}
{{- range .apps -}}
{{- $peers = append $peers (dict "podSelector" (dict "matchLabels" (fromYaml (include "sallyport.selector" (dict "root" $.root "app" .))))) -}}
{{- end -}}
{{ $peers | toJson }}
{{- end }}

{{/* The same, seen from Pods of other namespaces. */}}
{{- define "sallyport.oursFromElsewhere" -}}
{{- $here := dict "matchLabels" (dict "kubernetes.io/metadata.name" .root.Release.Namespace) -}}
{{- $peers := list -}}
{{- range fromJsonArray (include "sallyport.ours" .) }}{{ $peers = append $peers (merge (dict "namespaceSelector" $here) .) }}{{ end -}}
{{ $peers | toJson }}
{{- end }}

{{/* Names are looked up wherever the cluster's resolver is. */}}
{{- define "sallyport.dns" -}}
{{ dict "ports" (list (dict "protocol" "UDP" "port" 53) (dict "protocol" "TCP" "port" 53)) | toJson }}
{{- end }}

{{/* Who may read metrics: nobody unless said. Probes come from the node, which no policy keeps out. */}}
{{- define "sallyport.scrape" -}}
{{- if .root.Values.networkPolicy.monitoring -}}
{{ list (fromJson (include "sallyport.rule" (dict "way" "from" "peers" .root.Values.networkPolicy.monitoring "ports" (list .admin)))) | toJson }}
{{- else -}}
[]
{{- end -}}
{{- end }}
