// An API server that posts audit events from its start on, to a function that is started later.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeSelfSignedCertificate, type SelfSigned } from '@capi-serverless/apiserver/http';
import { parse } from 'yaml';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { writeWebhookKubeconfig } from '../../local/audit/files.ts';
import type { ControlPlaneOptions } from './real-control-plane.ts';
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts';

/** The token of the audit webhook. */
export const auditToken = 'a-token-of-more-than-20-characters';

export interface AuditPoster {
  /** Its target receives the posts. Without a target, they fail, and the API server repeats them a few times. */
  readonly relay: TcpRelay;
  /** The certificate that the API server trusts. */
  readonly certificate: SelfSigned;
  /** The audit log contains every request, those that the function does not need at level Metadata. */
  readonly options: Required<Pick<ControlPlaneOptions, 'auditPolicy' | 'auditWebhookConfigPath'>>;
  close(): void;
}

const policyFile = path.join(projectRoot, 'infra/kubernetes/audit/policy.yaml');

export async function prepareAuditPoster(): Promise<AuditPoster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-audit-posts-'));
  const relay = await startTcpRelay();
  const certificate = makeSelfSignedCertificate();
  const kubeconfigFile = path.join(folder, 'webhook.kubeconfig');
  writeWebhookKubeconfig({ token: auditToken, certificate, kubeconfigFile }, `https://127.0.0.1:${relay.port}/`);
  const { rules, ...policy } = parse(readFileSync(policyFile, 'utf8'));
  return {
    relay,
    certificate,
    options: {
      auditPolicy: { ...policy, rules: [...rules.slice(0, -1), { level: 'Metadata' }] },
      auditWebhookConfigPath: kubeconfigFile,
    },
    close() {
      relay.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
