// Implements main.ts: prints one line when the server is ready, and runs until a signal stops it.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { type AuditOptions, startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';

/** Rejects if an option is unknown, a file cannot be used, or the port is invalid or in use. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      kubeconfig: { type: 'string' },
      'audit-policy-file': { type: 'string' },
      'audit-webhook-config-file': { type: 'string' },
    },
  });
  const audit = await readAudit(values['audit-policy-file'], values['audit-webhook-config-file']);
  const server = await startApiServer({ port: Number(values.port), ...withoutUndefined({ audit }) });
  const kubeconfig = values.kubeconfig ?? path.join(mkdtempSync(path.join(tmpdir(), 'capi-apiserver-')), 'kubeconfig');
  writeKubeconfig(kubeconfig, server.kubeconfig);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop());
  }
  console.log(JSON.stringify({ ready: true, url: server.url, kubeconfig, pid: process.pid }));
}

async function readAudit(
  policyFile: string | undefined,
  webhookFile: string | undefined,
): Promise<AuditOptions | undefined> {
  if (policyFile === undefined && webhookFile === undefined) {
    return undefined;
  }
  if (policyFile === undefined || webhookFile === undefined) {
    throw new Error('--audit-policy-file and --audit-webhook-config-file go together');
  }
  const { readAuditOptions } = await import('./read-audit-options.ts');
  return readAuditOptions({ policyFile, webhookFile });
}

try {
  await main();
} catch (error) {
  console.error(`Cannot start the embedded API server: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
