// Reads an ExtensionConfig: where its extension server is, and what that was last known to serve.
import * as z from 'zod/mini';
import { storedV1Beta1Conditions } from '../../conditions/v1beta1.ts';
import { conditions, count, listOf, section, text, textOrEmpty } from '../fields.ts';
import type { ObjectMeta, Unstructured } from '../object.ts';

const textMap = z.catch(z.record(z.string(), z.string()), {});

const service = z.object({ name: z.string(), namespace: z.string(), path: text, port: count });

const selector = z.object({
  matchLabels: textMap,
  matchExpressions: listOf(
    z.object({ key: z.string(), operator: z.string(), values: z.catch(z.array(z.string()), []) }),
  ),
});

const handler = z.object({
  name: z.string(),
  requestHook: section({ apiVersion: textOrEmpty, hook: textOrEmpty }),
  timeoutSeconds: count,
  failurePolicy: z.catch(z.enum(['Fail', 'Ignore']), 'Fail'),
});

/** One entry of `status.handlers`. */
export type ExtensionHandler = z.output<typeof handler>;

/** A label selector; the words of `operator` are not checked. */
export type NamespaceSelector = z.output<typeof selector>;

const schema = z.object({
  spec: section({
    clientConfig: section({
      url: text,
      service: z.catch(z.optional(service), undefined),
      /** PEM in base64, as JSON holds it. */
      caBundle: textOrEmpty,
    }),
    /** Absent matches nothing, `{}` everything. */
    namespaceSelector: z.catch(z.optional(selector), undefined),
    settings: textMap,
  }),
  status: section({
    handlers: listOf(handler),
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Metadata with everything a stored custom resource has. */
interface ExtensionConfigMeta extends ObjectMeta {
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Never throws: a field that cannot be read counts as absent. */
export function readExtensionConfig(object: Unstructured) {
  const { generation = 0, annotations = {} } = object.metadata;
  const metadata: ExtensionConfigMeta = { ...object.metadata, generation, annotations };
  return { object, metadata, ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ExtensionConfig = ReturnType<typeof readExtensionConfig>;

/** Where an extension server is reached, and whom it is trusted by. */
export type ClientConfig = ExtensionConfig['spec']['clientConfig'];
