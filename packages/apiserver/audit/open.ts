// Creates the auditor from its parts: policy, truncation, sender and webhook.
import type { Clock } from '@capi-serverless/apimachinery';
import type { ApiCore } from '../core/api-core.ts';
import { type Auditor, createAuditor } from './auditor.ts';
import { parseAuditPolicy } from './policy.ts';
import { type BatchLimits, createSender } from './sender.ts';
import type { TruncateLimits } from './truncate.ts';
import { createWebhook, type WebhookAddress } from './webhook.ts';

export interface AuditOptions extends WebhookAddress {
  /** An audit.k8s.io/v1 Policy. */
  readonly policy: unknown;
  readonly batch?: Partial<BatchLimits>;
  /** If absent, events of any size are sent. */
  readonly truncate?: TruncateLimits;
}

export interface OpenAudit {
  readonly auditor: Auditor;
  /** Retries pending events once within a short time. */
  close(): Promise<void>;
}

/**
 * The defaults of kube-apiserver with shorter waits. kube-apiserver collects events for 30 s and retries after 10 s.
 */
const defaultBatch: BatchLimits = { maxSize: 400, maxWaitMs: 50, buffer: 10_000, initialBackoffMs: 1000 };

const patienceAtEndMs = 2000;

/** Throws AuditPolicyError. Calls `onLoss` for the first lost event, then after each tenfold increase of the count. */
export function openAudit(
  options: AuditOptions,
  of: { readonly core: ApiCore; readonly clock: Clock; readonly onLoss: (error: unknown) => void },
): OpenAudit {
  const { core, clock } = of;
  const policy = parseAuditPolicy(options.policy);
  const webhook = createWebhook(options);
  const onLoss = sparingly(of.onLoss);
  const batch = { ...defaultBatch, ...options.batch };
  const sender = createSender({ clock, post: webhook.post, batch, truncate: options.truncate, onLoss });
  return {
    auditor: createAuditor({ core, clock, policy, sender }),
    async close() {
      await Promise.race([sender.stop(), clock.sleep(patienceAtEndMs)]);
      webhook.close();
    },
  };
}

function sparingly(record: (error: unknown) => void): (count: number, why: unknown) => void {
  let lost = 0;
  let next = 1;
  return (count, why) => {
    lost += count;
    if (lost >= next) {
      next = lost * 10;
      record(new Error(`${lost} audit events were not delivered: ${why instanceof Error ? why.message : String(why)}`));
    }
  };
}
