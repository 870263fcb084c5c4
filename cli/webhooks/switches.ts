// What a take-over and a give-back do with each object. Pure.
import type { MergePatch, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** The former values of a switched object, as JSON. */
export const formerAnnotation = 'capi-serverless.dev/former-webhooks';

/**
 * With these annotations, cert-manager writes the authority of upstream's certificate into each `caBundle`. The functions
 * have other certificates. https://cert-manager.io/docs/concepts/ca-injector/
 */
const injections = /^cert-manager\.io\/inject-/;

/** An object that may be switched. */
export interface SwitchObject {
  readonly ref: ObjectRef;
  /** `undefined`: it does not exist. */
  readonly object: Unstructured | undefined;
}

/** One write that switches an object, or the reason why there is none. */
export type SwitchStep = { readonly ref: ObjectRef } & (
  | {
      readonly is: 'switched';
      readonly patch: MergePatch;
      /** The precondition of the write. */
      readonly resourceVersion: string;
      /** The lines begin with `-` or `+`. They never contain a token. */
      readonly changes: readonly string[];
    }
  | { readonly is: 'unchanged' | 'refused'; readonly why: string }
);

const service = z.object({
  namespace: z.string(),
  name: z.string(),
  path: z._default(z.string(), '/'),
  port: z._default(z.number(), 443),
});

/** API objects may have fields that are not read here. They are kept. */
export const clientConfigSchema = z.looseObject({
  url: z.optional(z.string()),
  service: z.optional(service),
  caBundle: z.optional(z.string()),
});
export type WebhookClient = z.infer<typeof clientConfigSchema>;

/** A text of a client. The path of a URL begins with the token, which is left out. */
export function describeClient({ url, service: named, caBundle }: WebhookClient): string {
  const authority = caBundle === undefined ? '' : ', with an authority of its own';
  if (named !== undefined) {
    return `Service ${named.namespace}/${named.name}:${named.port}${named.path}${authority}`;
  }
  const parsed = URL.parse(url ?? '');
  const path = parsed?.pathname.replace(/^\/[^/]+/, '/…') ?? '';
  return `${parsed?.origin ?? 'no address'}${path}${authority}`;
}

function annotationsOf({ metadata }: Unstructured): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

/** The annotations that a take-over removes. */
function injectionsOf(object: Unstructured): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotationsOf(object)).filter(([key]) => injections.test(key)));
}

/** The merge patch of annotations that removes these keys. */
function without(annotations: Readonly<Record<string, string>>): Readonly<Record<string, null>> {
  return Object.fromEntries(Object.keys(annotations).map(key => [key, null]));
}

function removedLines(annotations: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(annotations).map(([key, value]) => `- annotation ${key}: ${value}`);
}

function addedLines(annotations: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(annotations).map(([key, value]) => `+ annotation ${key}: ${value}`);
}

/** Returns the lines of what differs. */
export function changedLines(name: string, before: string | undefined, after: string | undefined): readonly string[] {
  return before === after
    ? []
    : [
        ...(before === undefined ? [] : [`- ${name}: ${before}`]),
        ...(after === undefined ? [] : [`+ ${name}: ${after}`]),
      ];
}

/** The former annotations of an object that was taken over. */
export const formerAnnotationsSchema = z._default(z.record(z.string(), z.string()), {});

/** Returns the value of the annotation. `undefined`: there is none, or it was changed by hand. */
export function readFormer<T>(object: Unstructured, schema: z.ZodMiniType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(annotationsOf(object)[formerAnnotation] ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Returns whether a take-over has switched the object, and a release may have been applied over it. */
export function isTakenOver(object: Unstructured): boolean {
  return formerAnnotation in annotationsOf(object);
}

/** What one object has, and what it gets. */
interface Replacement {
  /** Whether it calls the function already, perhaps in another way. Its former value is then known. */
  readonly isOurs: boolean;
  /** Whether it has all that it gets. */
  readonly isSame: boolean;
  /** What is replaced. The annotation keeps it. */
  readonly former: object;
  readonly patch: MergePatch;
  readonly changes: readonly string[];
  /** The name of the function. */
  readonly callee: string;
}

export function takenOver(
  ref: ObjectRef,
  object: Unstructured,
  { isOurs, isSame, former, patch, changes, callee }: Replacement,
): SwitchStep {
  const injected = injectionsOf(object);
  if (isOurs && isSame && Object.keys(injected).length === 0) {
    return { ref, is: 'unchanged', why: `calls the ${callee} function already` };
  }
  const kept = isOurs ? {} : { [formerAnnotation]: JSON.stringify({ annotations: injected, ...former }) };
  return {
    ref,
    is: 'switched',
    resourceVersion: object.metadata.resourceVersion,
    patch: { metadata: { annotations: { ...without(injected), ...kept } }, ...patch },
    changes: [...changes, ...removedLines(injected)],
  };
}

/** Restores the annotations as well. */
export function givenBack(
  ref: ObjectRef,
  { metadata: { resourceVersion } }: Unstructured,
  {
    annotations,
    patch,
    changes,
  }: Pick<Replacement, 'patch' | 'changes'> & { readonly annotations: Readonly<Record<string, string>> },
): SwitchStep {
  return {
    ref,
    is: 'switched',
    resourceVersion,
    patch: { metadata: { annotations: { [formerAnnotation]: null, ...annotations } }, ...patch },
    changes: [...changes, ...addedLines(annotations)],
  };
}

/** The object calls what it called before. If a release was applied over a take-over, only the annotation is left. */
export function notOurs(ref: ObjectRef, object: Unstructured, why: string): SwitchStep {
  if (!isTakenOver(object)) {
    return { ref, is: 'unchanged', why };
  }
  const patch = { metadata: { annotations: { [formerAnnotation]: null } } };
  const { resourceVersion } = object.metadata;
  return { ref, is: 'switched', resourceVersion, patch, changes: [`- annotation ${formerAnnotation}`] };
}

export function withoutFormer(ref: ObjectRef): SwitchStep {
  const why = 'has no former value: use "kubectl replace -f" with that of the release of Cluster API';
  return { ref, is: 'refused', why };
}
