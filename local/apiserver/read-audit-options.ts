// Reads the audit options from files. The names are those of kube-apiserver.

import { readFile } from 'node:fs/promises';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { AuditOptions } from '@capi-serverless/apiserver';
import { AuditPolicyError } from '@capi-serverless/apiserver/audit';
import { parse } from 'yaml';
import { loadKubeconfig } from '../../shared/kubernetes/credentials/kubeconfig.ts';

interface AuditFiles {
  /** The path of an audit.k8s.io/v1 Policy in JSON or YAML. */
  readonly policyFile: string;
  /** The path of a kubeconfig whose current context is the webhook. */
  readonly webhookFile: string;
}

/** Rejects with KubeconfigError or AuditPolicyError, or if the policy cannot be read. */
export async function readAuditOptions({ policyFile, webhookFile }: AuditFiles): Promise<AuditOptions> {
  const [{ endpoint, authorization }, text] = await Promise.all([
    loadKubeconfig(webhookFile),
    readFile(policyFile, 'utf8'),
  ]);
  return {
    url: endpoint.server,
    ...withoutUndefined({ caPem: endpoint.ca }),
    ...(authorization === undefined ? {} : { token: authorization.replace(/^Bearer /, '') }),
    policy: parseText(policyFile, text),
  };
}

function parseText(file: string, text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch (cause) {
    throw new AuditPolicyError(`The audit policy ${file} is neither JSON nor YAML`, { cause });
  }
}
