// Discovery: the kinds that a workload cluster serves in one group and version. A tenant may control the server.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#unaggregated-discovery
import { type Answer, answered } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { ServedResource } from '../../workload/api.ts';
import type { Send } from './objects.ts';
import { resourceListKind } from './urls.ts';

/** Names of subresources contain a slash. */
const resourceName = z.string().check(z.regex(/^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/));

const item = z.object({ name: resourceName, kind: z.string(), namespaced: z.boolean() });

const answer = z.object({ resources: z.array(z.unknown()) });

/** Returns an empty list if the server does not serve the version. */
export async function readResources(send: Send, apiVersion: string): Promise<Answer<readonly ServedResource[]>> {
  const received = await send({ verb: 'get', target: { apiVersion, kind: resourceListKind } });
  if (!received.ok) {
    return received.failure.reason === 'NotFound' ? answered([]) : received;
  }
  const { resources } = answer.parse(received.value); // the client has checked the type of the answer
  return answered(
    resources.flatMap(each => {
      const { success, data } = item.safeParse(each);
      return success ? [{ kind: data.kind, plural: data.name, isNamespaced: data.namespaced }] : [];
    }),
  );
}
