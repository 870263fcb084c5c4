// Opens the local audit webhook, and prints how to configure an API server for it.
import path from 'node:path';
import type { ApiServerOptions } from '@capi-serverless/apiserver';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { auditLimits, auditWebhookFlags, toAuditPolicy } from '../../infra/kubernetes/audit-policy.ts';
import { auditPolicyPath } from '../../infra/kubernetes/outputs.ts';
import { defaultProviderGroups } from '../../shared/config/setting-defaults.ts';
import { type FunctionUrl, openFunctionUrl } from '../function-url.ts';
import { UsageError } from '../usage-error.ts';
import { type AuditFiles, prepareAuditFiles, writeWebhookKubeconfig } from './files.ts';

export interface LocalAudit {
  readonly files: AuditFiles;
  readonly functionUrl: FunctionUrl;
}

/** Throws UsageError if the folder or the port cannot be used. */
export async function openAudit({
  folder,
  port,
}: {
  readonly folder: string;
  readonly port: number;
}): Promise<LocalAudit> {
  const files = await prepareAuditFiles(folder).catch(thrown => {
    throw new UsageError(`Folder ${folder} cannot be used: ${toError(thrown).message}`, { cause: thrown });
  });
  const functionUrl = await openFunctionUrl({ port, ...files.certificate }).catch(thrown => {
    throw new UsageError(`Port ${port} cannot be used: ${toError(thrown).message}; choose another --audit-port`, {
      cause: thrown,
    });
  });
  writeWebhookKubeconfig(files, functionUrl.url);
  return { files, functionUrl };
}

/** Configures an embedded API server to post the events that the webhook needs. */
export function toEmbeddedAudit(
  { files, functionUrl }: LocalAudit,
  declarations: readonly Declaration[],
): NonNullable<ApiServerOptions['audit']> {
  return {
    url: functionUrl.url,
    token: files.token,
    caPem: files.certificate.certificatePem,
    policy: toAuditPolicy(declarations, defaultProviderGroups),
    batch: { maxSize: auditLimits.batchEvents },
    truncate: {
      maxEventBytes: auditLimits.eventBytes,
      maxBatchBytes: auditLimits.eventBytes * auditLimits.batchEvents,
    },
  };
}

/** Instructions for the operator of the API server. They do not contain the token. */
export function toAuditAdvice({ files, functionUrl }: LocalAudit): readonly string[] {
  const policy = path.join(projectRoot, 'infra/kubernetes', auditPolicyPath);
  const flags = [
    `--audit-policy-file=${policy}`,
    `--audit-webhook-config-file=${path.resolve(files.kubeconfigFile)}`,
    ...auditWebhookFlags,
  ];
  return [
    `The audit webhook listens at ${functionUrl.url}, its token is in ${path.resolve(files.tokenFile)}`,
    'Start kube-apiserver with',
    ...flags.map(flag => `  ${flag}`),
  ];
}
