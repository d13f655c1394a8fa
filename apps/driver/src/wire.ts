import type { Process } from '@sallyport/process';
import type { Config } from './config.ts';
import type { DriverServer } from './serve.ts';
import { wireKubernetes } from './wire-kubernetes.ts';
import { wireStatic } from './wire-static.ts';

export const wire = (config: Config, process: Process): Promise<DriverServer> =>
  config.backend === 'static' ? wireStatic(config, process) : wireKubernetes(config, process);
