// Prints the objects that belong to one object and what it waits for. The face of its reconciler describes both.

import { type ObjectRef, type Reads, toDisplayName } from '@capi-serverless/apimachinery';
import { exitCodes } from '../../local/exit-codes.ts';
import { findOrder } from '../../local/provider/orders.ts';
import { UsageError } from '../../local/usage-error.ts';
import { toLines } from '../../local/view/tree-lines.ts';
import { toSentences } from '../../shared/explain/explanation.ts';
import type { Description } from '../../shared/explain/face.ts';
import { everyNode, limited, type ObjectNode, toRows } from '../../shared/explain/tree.ts';
import { toPrimaryRef } from '../arguments.ts';
import type { WhyObject } from './operands.ts';

export interface WhyContext {
  readonly reads: Reads;
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly color: boolean;
  /** Whether to print one JSON document instead of text. */
  readonly json: boolean;
}

/** The object does not exist. */
export class MissingObjectError extends UsageError {
  /** The kind and name of the object. */
  readonly display: string;

  constructor(display: string, message: string) {
    super(message);
    this.display = display;
  }
}

/** Resolves with the exit code. Throws UsageError if the object, or the objects that belong to it, cannot be read. */
export async function why(
  { face, declaration, name }: WhyObject,
  { reads, write, columns, color, json }: WhyContext,
): Promise<number> {
  const ref = toPrimaryRef(declaration, name);
  const display = `${ref.kind} ${toDisplayName(ref)}`;
  const answer = await reads.get(ref);
  const described = answer.ok ? await face.describe(answer.value, { reads, findOrder }) : answer;
  if (!described.ok) {
    const { reason, message } = described.failure;
    const problem = `${display} cannot be read: ${message}`;
    throw reason === 'NotFound' ? new MissingObjectError(display, problem) : new UsageError(problem);
  }
  const { tree, explanation } = described.value;
  const drawn = tree === undefined ? [] : [...toLines(toRows(tree(limited)), { width: columns, color }), ''];
  const text = [...drawn, ...toSentences(display, explanation)].join('\n');
  write(`${json ? toJson(ref, described.value) : text}\n`);
  return explanation === undefined ? exitCodes.done : exitCodes.notReady;
}

function toJson(object: ObjectRef, { tree, explanation }: Description): string {
  const { waitsFor, condition, pointsTo = [], remedies = [] } = explanation ?? {};
  const parts = tree && toState(tree(everyNode));
  const waits = explanation !== undefined;
  return JSON.stringify({ object, waits, waitsFor, condition, pointsTo, remedies, tree: parts }, undefined, 2);
}

interface ObjectState {
  readonly name: string;
  readonly state: ObjectNode['mark'];
  readonly detail: string;
  readonly children: readonly ObjectState[];
}

function toState({ name, mark, detail, children }: ObjectNode): ObjectState {
  return { name, state: mark, detail, children: children.map(toState) };
}
