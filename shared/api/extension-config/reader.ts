// Reads an ExtensionConfig: the address of its extension server, and the handlers that were discovered.

import type { ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { conditions, count, labelSelector, listOf, section, text, textMap, textOrEmpty } from '../fields.ts';

const service = z.object({ name: z.string(), namespace: z.string(), path: text, port: count });

const handler = z.object({
  name: z.string(),
  requestHook: section({ apiVersion: textOrEmpty, hook: textOrEmpty }),
  timeoutSeconds: count,
  failurePolicy: z.catch(z.enum(['Fail', 'Ignore']), 'Fail'),
});

/** One item of `status.handlers`. */
export type ExtensionHandler = z.output<typeof handler>;

const schema = z.object({
  spec: section({
    clientConfig: section({
      url: text,
      service: z.catch(z.optional(service), undefined),
      /** The certificates as PEM in base64. */
      caBundle: textOrEmpty,
    }),
    /** An absent selector matches nothing. `{}` matches everything. */
    namespaceSelector: z.catch(z.optional(labelSelector), undefined),
    settings: textMap,
  }),
  status: section({
    handlers: listOf(handler),
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Metadata with defaults for absent fields. */
interface ExtensionConfigMeta extends ObjectMeta {
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Never throws. An unreadable field is treated as absent. */
export function readExtensionConfig(object: Unstructured) {
  const { generation = 0, annotations = {} } = object.metadata;
  const metadata: ExtensionConfigMeta = { ...object.metadata, generation, annotations };
  return { object, metadata, ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ExtensionConfig = ReturnType<typeof readExtensionConfig>;

/** The address and the CA bundle of an extension server. */
export type ClientConfig = ExtensionConfig['spec']['clientConfig'];
