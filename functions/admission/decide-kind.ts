// The hooks of the kinds whose rules need at most one read: the claim of an IPAddress.
import { type ApiFailure, problemsOfSubdomain, toRecord } from '@capi-serverless/apimachinery';
import { denialStatus, forbiddenStatus } from '../../shared/admission/denial-status.ts';
import { claimNameOf, ipamApiVersion } from '../../shared/admission/kinds/ip-address.ts';
import type { FoundClaim, KindRules } from '../../shared/admission/kinds/kind-rules.ts';
import { textAt } from '../../shared/admission/kinds/object-fields.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';
import type { Decider, DecisionPorts, ReviewedWrite } from './decider.ts';

/** Kinds whose absent replicas depend on the stored object. */
const replicated: ReadonlySet<string> = new Set(['MachineSet', 'MachineDeployment', 'MachinePool']);

export function createKindDecider(rules: KindRules, { gates, connect }: DecisionPorts): Decider {
  const { kind, group, defaults } = rules;
  return {
    ...(defaults === undefined ? {} : { defaults: write => decideDefaults(write) }),
    async validate({ name, object, old }) {
      const claim = kind === 'IPAddress' && old === undefined ? await readClaim(object, connect) : 'absent';
      const denial = rules.denialOf({ object, old, gates, claim });
      return denial === undefined
        ? { allowed: true }
        : { allowed: false, status: denialStatus({ group, kind, name }, denial) };
    },
  };

  function decideDefaults({ operation, object, old }: ReviewedWrite): ReturnType<NonNullable<Decider['defaults']>> {
    if (operation === 'UPDATE' && old === undefined && replicated.has(kind)) {
      const message = `failed to decode oldObject to ${kind}: there is no content to decode`;
      return { allowed: false, status: forbiddenStatus(message) };
    }
    const defaulted = defaults?.({ object, old, gates });
    return defaulted?.ok === false
      ? { allowed: false, status: forbiddenStatus(defaulted.error) }
      : { allowed: true, object: defaulted?.value ?? object };
  }
}

async function readClaim(object: ReviewedWrite['object'], connect: DecisionPorts['connect']): Promise<FoundClaim> {
  const name = claimNameOf(object);
  const namespace = textAt(object, 'metadata.namespace');
  if ([namespace, name].some(part => problemsOfSubdomain(part).length > 0)) {
    return 'absent';
  }
  const ref = { apiVersion: ipamApiVersion, kind: 'IPAddressClaim', namespace, name };
  try {
    const answer = await (await connect()).get(ref);
    return answer.ok ? { object: toRecord(answer.value) } : toAbsent(answer.missing, answer.failure);
  } catch (error) {
    if (error instanceof ReviewReadError) {
      return { error: error.message };
    }
    throw error;
  }
}

function toAbsent(missing: boolean, { message }: ApiFailure): FoundClaim {
  return missing ? 'absent' : { error: message };
}
