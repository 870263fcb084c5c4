// Asks the webhooks of upstream's manager as an API server does: the default, then the validation of its result.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
import type { Intent, JsonObject } from '@capi-serverless/apimachinery';
import { JsonDocument, perform, readOperations } from '@capi-serverless/apimachinery/json-patch';
import * as z from 'zod/mini';
import type { RawHttp } from '../support/raw-http.ts';
import type { GeneratedWrite } from './generated-objects.ts';
import type { Verdict } from './verdict.ts';

const responseSchema = z.object({
  response: z.object({
    allowed: z.boolean(),
    status: z.optional(
      z.object({
        code: z.number(),
        message: z.optional(z.string()),
        details: z.optional(
          z.object({
            causes: z.optional(z.array(z.object({ reason: z.string(), field: z.string(), message: z.string() }))),
          }),
        ),
      }),
    ),
    patch: z.optional(z.string()),
  }),
});

const webhooksSchema = z.array(
  z.object({
    clientConfig: z.object({ service: z.object({ path: z.string() }) }),
    rules: z.array(z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()) })),
  }),
);

/** The paths of the webhooks of one kind. */
export interface WebhookPaths {
  /** `undefined` if the kind has no default webhook. */
  readonly mutate: string | undefined;
  readonly validate: string;
}

interface Resource {
  readonly group: string;
  readonly plural: string;
}

/** `configurations` are upstream's. */
export function pathsOf({ group, plural }: Resource, configurations: readonly Intent[]): WebhookPaths {
  const pathIn = (kind: string): string | undefined =>
    configurations
      .filter(configuration => configuration.kind === kind)
      .flatMap(configuration => webhooksSchema.parse(configuration['webhooks']))
      .find(({ rules }) => rules.some(rule => rule.apiGroups.includes(group) && rule.resources.includes(plural)))
      ?.clientConfig.service.path;
  const validate = pathIn('ValidatingWebhookConfiguration');
  if (validate === undefined) {
    throw new Error(`Upstream has no webhook for ${plural}.${group}`);
  }
  return { mutate: pathIn('MutatingWebhookConfiguration'), validate };
}

export async function upstreamVerdict(http: RawHttp, paths: WebhookPaths, write: GeneratedWrite): Promise<Verdict> {
  const mutated = paths.mutate === undefined ? undefined : await review(http, paths.mutate, write);
  if (mutated?.allowed === false) {
    return toDenial(mutated);
  }
  const object = patched(write.object, mutated?.patch);
  const validated = await review(http, paths.validate, { ...write, object });
  return validated.allowed ? { object } : toDenial(validated);
}

type Response = z.infer<typeof responseSchema>['response'];

async function review(http: RawHttp, path: string, { object, old }: GeneratedWrite): Promise<Response> {
  const { name, namespace } = Object(object['metadata']);
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const request = { uid: 'u', name, namespace, operation, object, ...(old === undefined ? {} : { oldObject: old }) };
  const answer = await http.post(path, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  // Its media type is text/plain.
  return responseSchema.parse(JSON.parse(answer.text)).response;
}

function patched(object: JsonObject, patch: string | undefined): JsonObject {
  if (patch === undefined) {
    return object;
  }
  const operations = readOperations(Buffer.from(patch, 'base64').toString('utf8'));
  if (!operations.ok) {
    throw new Error(`Upstream returns a patch that is none: ${operations.error}`);
  }
  const document = new JsonDocument(object);
  for (const operation of operations.value) {
    perform(document, operation);
  }
  return document.share();
}

function toDenial({ status }: Response): Verdict {
  return { code: status?.code ?? 0, message: status?.message ?? '', causes: status?.details?.causes ?? [] };
}
