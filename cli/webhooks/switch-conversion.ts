// Switches the conversion of a CRD between upstream's Service and the conversion function. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { type ConvertibleKind, storedVersion } from '../../shared/conversion/kinds.ts';
import { conversionPath } from '../../shared/conversion/review-request.ts';
import {
  changedLines,
  clientConfigSchema,
  describeClient,
  formerAnnotationsSchema,
  givenBack,
  isTakenOver,
  notOurs,
  readFormer,
  type SwitchObject,
  type SwitchStep,
  takenOver,
  type WebhookClient,
  withoutFormer,
} from './switches.ts';

const conversionSchema = z.looseObject({
  strategy: z.string(),
  webhook: z.optional(z.looseObject({ clientConfig: z._default(clientConfigSchema, {}) })),
});

/** The versions of a definition, and what converts them. */
export const definitionSchema = z.object({
  spec: z.object({
    conversion: z._default(conversionSchema, { strategy: 'None' }),
    versions: z.array(z.object({ name: z.string(), served: z.boolean(), storage: z.boolean() })),
  }),
  status: z._default(z.object({ storedVersions: z._default(z.array(z.string()), []) }), { storedVersions: [] }),
});

const formerSchema = z.object({ annotations: formerAnnotationsSchema, conversion: conversionSchema });

/** Returns the services of the former value. */
export function formerConversionServices(object: Unstructured): readonly NonNullable<WebhookClient['service']>[] {
  const former = readFormer(object, formerSchema);
  return [former?.conversion.webhook?.clientConfig.service ?? []].flat();
}

interface ConversionAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly certificateAuthority: string | undefined;
}

export function takeOverConversion(
  { ref, object }: SwitchObject,
  kind: ConvertibleKind,
  address: ConversionAddress,
): SwitchStep {
  if (object === undefined) {
    return { ref, is: 'unchanged', why: 'is not installed' };
  }
  const { spec, status } = definitionSchema.parse(object);
  const { strategy, webhook } = spec.conversion;
  if (strategy !== 'Webhook') {
    return { ref, is: 'unchanged', why: 'has no conversion webhook' };
  }
  const known = [storedVersion, ...kind.olderVersions];
  const used = [...spec.versions.filter(({ served }) => served).map(({ name }) => name), ...status.storedVersions];
  const unknown = [...new Set(used)].filter(version => !known.includes(version));
  if (unknown.length > 0) {
    return {
      ref,
      is: 'refused',
      why: `has versions that the conversion function does not know: ${unknown.join(', ')}`,
    };
  }
  const stored = spec.versions.find(({ storage }) => storage)?.name;
  if (stored !== storedVersion) {
    return { ref, is: 'refused', why: `stores ${stored}, not ${storedVersion}` };
  }
  const before = webhook?.clientConfig ?? {};
  const after = toClientConfig(address);
  return takenOver(ref, object, {
    isOurs: isTakenOver(object) && before.service === undefined,
    isSame: before.url === after.url && before.caBundle === after.caBundle,
    former: { conversion: spec.conversion },
    patch: { spec: { conversion: { webhook: { conversionReviewVersions: ['v1'], clientConfig: toPatch(after) } } } },
    changes: changedLines('conversion', describeClient(before), describeClient(after)),
    callee: 'conversion',
  });
}

export function giveBackConversion({ ref, object }: SwitchObject): SwitchStep {
  if (object === undefined) {
    return { ref, is: 'unchanged', why: 'is not installed' };
  }
  const { strategy, webhook } = definitionSchema.parse(object).spec.conversion;
  const before = webhook?.clientConfig ?? {};
  if (strategy !== 'Webhook' || before.service !== undefined) {
    return notOurs(ref, object, strategy === 'Webhook' ? 'calls a Service' : 'has no conversion webhook');
  }
  const former = readFormer(object, formerSchema);
  if (former === undefined) {
    return withoutFormer(ref);
  }
  const { annotations, conversion } = former;
  const after = conversion.webhook?.clientConfig ?? {};
  const restored = { ...conversion, webhook: { ...conversion.webhook, clientConfig: toPatch(after) } };
  return givenBack(ref, object, {
    annotations,
    patch: { spec: { conversion: restored } },
    changes: changedLines('conversion', describeClient(before), describeClient(after)),
  });
}

/** Returns how an API server calls the conversion function. */
export function toClientConfig({ url, certificateAuthority }: ConversionAddress): WebhookClient {
  const caBundle =
    certificateAuthority === undefined ? {} : { caBundle: Buffer.from(certificateAuthority).toString('base64') };
  return { url: `${url}${conversionPath}`, ...caBundle };
}

/** A merge patch keeps what it does not name. */
function toPatch(clientConfig: WebhookClient): object {
  return { url: null, service: null, caBundle: null, ...clientConfig };
}
