// The audit webhook of a real kube-apiserver with --audit-webhook-config-file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toKubeconfig, writeKubeconfig } from '@capi-serverless/apiserver';
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { auditConformance, auditPolicy } from './audit.ts';

describeReal(
  'the audit webhook',
  () =>
    auditConformance('kube-apiserver', async ({ url, caPem, token }) => {
      const dir = mkdtempSync(join(tmpdir(), 'capi-audit-'));
      const auditWebhookConfigPath = join(dir, 'webhook.kubeconfig');
      writeKubeconfig(auditWebhookConfigPath, toKubeconfig({ url, caPem, user: 'audit', token }));
      const subject = await openReal({
        auditPolicy,
        auditWebhookConfigPath,
        apiserverFlags: ['--audit-webhook-initial-backoff=100ms'],
      });
      rmSync(dir, { recursive: true }); // the server has read it at start
      return subject;
    }),
  { needs: 'controllers' },
);
