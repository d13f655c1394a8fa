import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../start/root.mjs';

/** helm reads nothing outside of a chart, so that the alerts are there once more: whole, for its PrometheusRule. */
export const chartFiles = () => ({
  'deploy/helm/sallyport/files/alerts.yaml': readFileSync(join(root, 'deploy/monitoring/alerts.yaml'), 'utf8'),
});
