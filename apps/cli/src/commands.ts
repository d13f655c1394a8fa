import { checkCommand } from './check/check-command.ts';
import type { Command } from './command.ts';
import { snapshotCommand } from './discovery-commands.ts';
import { explainCommand } from './explain-command.ts';
import { exposeCommand } from './expose-command.ts';
import * as grant from './grant-commands.ts';
import * as pki from './pki-commands.ts';
import * as sandbox from './sandbox-commands.ts';
import * as service from './service-commands.ts';
import { statusCommand } from './status-command.ts';
import { beginGenerationCommand } from './store-commands.ts';
import { versionCommand } from './version-command.ts';
import { watchCommand } from './watch-command.ts';

/** In the order in which help lists them: what people begin with comes first. */
export const commands: readonly Command[] = [
  exposeCommand,
  service.listCommand,
  service.getCommand,
  service.deleteCommand,
  sandbox.registerCommand,
  sandbox.listCommand,
  sandbox.deleteCommand,
  statusCommand,
  checkCommand,
  explainCommand,
  snapshotCommand,
  watchCommand,
  grant.setCommand,
  grant.listCommand,
  beginGenerationCommand,
  pki.filesCommand,
  pki.secretsCommand,
  pki.tokenCommand,
  versionCommand,
];
