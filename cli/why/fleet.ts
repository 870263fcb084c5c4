// Lists the objects of all kinds that wait, from the most urgent one, with one line of cause each.
import {
  type Answer,
  answered,
  type ListQuery,
  type Reads,
  toApiVersion,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';

import { exitCodes } from '../../local/exit-codes.ts';
import { findOrder } from '../../local/provider/orders.ts';
import { UsageError } from '../../local/usage-error.ts';
import { controlPlaneLabel } from '../../shared/api/machine/reader.ts';
import type { Explanation } from '../../shared/explain/explanation.ts';
import type { ReconcilerFace } from '../../shared/explain/face.ts';
import { byUrgency, type WaitingObject } from '../../shared/explain/urgency.ts';
import { type ExplainedKind, explainedKinds } from './operands.ts';
import type { WhyContext } from './why.ts';

/** An object that waits, and the face that explains it. */
interface Finding extends WaitingObject {
  readonly object: Unstructured;
  readonly face: ReconcilerFace;
}

/** More objects are counted. Each one takes a few reads. */
const mostExplained = 50;

/** Causes of one object in its line. */
const mostCauses = 2;

/** Resolves with the exit code. Throws UsageError if a kind cannot be listed. */
export async function whyFleet({ reads, write, json }: Pick<WhyContext, 'reads' | 'write' | 'json'>): Promise<number> {
  const findings = byUrgency((await Promise.all(explainedKinds().map(kind => findingsOf(kind, reads)))).flat());
  const shown = json ? findings : findings.slice(0, mostExplained);
  const explained: (readonly [Finding, Explanation | undefined])[] = [];
  for (const finding of shown) {
    explained.push([finding, await explanationOf(finding, reads)]);
  }
  write(json ? toJson(explained) : toText(explained, findings.length - shown.length));
  return findings.length === 0 ? exitCodes.done : exitCodes.notReady;
}

async function findingsOf({ face, declaration }: ExplainedKind, reads: Reads): Promise<readonly Finding[]> {
  const { primary } = declaration;
  const of: ListQuery = { apiVersion: toApiVersion(primary), kind: primary.kind };
  const listed = await reads.list(of);
  const objects: Answer<readonly Unstructured[]> =
    listed.ok || listed.failure.reason !== 'NotFound' ? listed : answered([]);
  if (!objects.ok) {
    throw new UsageError(`Objects of kind ${of.kind} cannot be listed: ${objects.failure.message}`);
  }
  return objects.value.flatMap(object => {
    const wait = face.use(({ waitOf }) => waitOf(object));
    const isControlPlane = object.metadata.labels?.[controlPlaneLabel] !== undefined;
    const display = toDisplayName(object.metadata);
    return wait === undefined ? [] : [{ kind: of.kind, display, isControlPlane, wait, object, face }];
  });
}

/** An object that is gone meanwhile, or whose parts cannot be read, is explained by its conditions. */
async function explanationOf({ face, object }: Finding, reads: Reads): Promise<Explanation | undefined> {
  const described = await face.describe(object, { reads, findOrder });
  return described.ok ? described.value.explanation : undefined;
}

function toText(explained: readonly (readonly [Finding, Explanation | undefined])[], more: number): string {
  if (explained.length === 0) {
    return 'Nothing waits.\n';
  }
  const lines = explained.map(([finding, explanation]) => toLine(finding, explanation));
  const [first] = explained;
  const next = first === undefined ? [] : ['', `For what to do: npx capi-serverless why ${operandsOf(first[0])}`];
  return `${[...lines, ...(more > 0 ? [`${more} more objects wait.`] : []), ...next].join('\n')}\n`;
}

function operandsOf({ face, display }: Finding): string {
  return face.isDefault ? display : `${face.name} ${display}`;
}

function toLine({ kind, display, wait }: Finding, explanation: Explanation | undefined): string {
  return `${kind} ${display} waits for ${explanation?.waitsFor ?? wait.until}${causeOf(explanation)}`;
}

/** The objects that cause the wait say more than the condition. */
function causeOf(explanation: Explanation | undefined): string {
  const { pointsTo = [], condition } = explanation ?? {};
  const causes = pointsTo.length > 0 ? pointsTo.slice(0, mostCauses) : condition === undefined ? [] : [condition];
  return causes.length === 0 ? '' : `: ${causes.join('; ').replace(/\s+/g, ' ')}`;
}

function toJson(explained: readonly (readonly [Finding, Explanation | undefined])[]): string {
  const objects = explained.map(([{ kind, object, wait }, explanation]) => {
    const { waitsFor = wait.until, condition, pointsTo = [], remedies = [] } = explanation ?? {};
    const { namespace, name } = object.metadata;
    return {
      object: { apiVersion: object.apiVersion, kind, namespace, name },
      waitsFor,
      condition,
      pointsTo,
      remedies,
    };
  });
  return `${JSON.stringify({ waits: objects.length > 0, objects }, undefined, 2)}\n`;
}
