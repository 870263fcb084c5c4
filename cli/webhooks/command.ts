// `capi-serverless webhooks`: prints the webhook configurations of a deployed admission function.
import { readFileSync } from 'node:fs';
import { toError } from '@capi-serverless/reconciler';
import { stringify } from 'yaml';
import { toWebhookConfigurations } from '../../infra/kubernetes/webhook-configurations.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { UsageError } from '../../local/usage-error.ts';
import { defineCommand } from '../command.ts';
import { parseWebhooksOptions, webhooksHelp, webhooksOptions } from './options.ts';

export const webhooksCommand = defineCommand({
  options: webhooksOptions,
  help: () => webhooksHelp,
  parse: parseWebhooksOptions,
  async execute({ caFile, json, ...options }, print) {
    const certificateAuthority = caFile === undefined ? undefined : readCertificates(caFile);
    const items = toWebhookConfigurations({ ...options, certificateAuthority });
    print(json ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) : items.map(toYaml).join('---\n').trimEnd());
    return exitCodes.done;
  },
});

/** Without anchors, so that each line can be read alone. */
function toYaml(manifest: object): string {
  return stringify(manifest, { aliasDuplicateObjects: false });
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`--ca ${file} cannot be read: ${toError(cause).message}`, { cause });
  }
}
