// Posts audit events to a webhook, like kube-apiserver with --audit-webhook-config-file.
// https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type JsonObject, withoutUndefined } from '@capi-serverless/apimachinery';

export interface WebhookAddress {
  /** The URL with http: or https:. */
  readonly url: string;
  /** The token. It is sent over TLS only. */
  readonly token?: string | undefined;
  /** A trusted certificate authority in addition to the default ones. */
  readonly caPem?: string | undefined;
}

export interface Webhook {
  /** Rejects if the response is not a success, or after 30 s without a response. */
  post(events: readonly JsonObject[]): Promise<void>;
  close(): void;
}

const timeoutSeconds = 30;

export function createWebhook({ url, token, caPem }: WebhookAddress): Webhook {
  const target = new URL(url);
  target.searchParams.set('timeout', `${timeoutSeconds}s`);
  const isSecure = target.protocol === 'https:';
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, ...withoutUndefined({ ca: caPem }) })
    : new HttpAgent({ keepAlive: true });
  const request = isSecure ? httpsRequest : httpRequest;
  const authorization = isSecure && token !== undefined ? { authorization: `Bearer ${token}` } : {};
  return {
    async post(events) {
      const body = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: events });
      const length = String(Buffer.byteLength(body));
      const headers = { 'content-type': 'application/json', 'content-length': length, ...authorization };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(target, { method: 'POST', agent, headers, timeout: timeoutSeconds * 1000 }, resolve);
        sent.once('timeout', () => sent.destroy(new Error(`no answer within ${timeoutSeconds} s`)));
        sent.on('error', reject);
        sent.end(body);
      });
      response.resume();
      check(response.statusCode ?? 0, target.origin);
    },
    close: () => agent.destroy(),
  };
}

function check(code: number, where: string): void {
  if (code >= 200 && code < 300) {
    return;
  }
  throw new Error(`The audit webhook at ${where} answered ${code}`);
}
