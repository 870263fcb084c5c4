// Explains why an object waits, and the remedy. Pure.
import { toConditionText, type Wait } from './conditions.ts';

export interface Explanation {
  readonly waitsFor: string;
  /** The condition that explains the wait. Absent if there is none. */
  readonly condition?: string;
  /** The objects that the condition refers to, with their state. */
  readonly pointsTo: readonly string[];
  readonly remedies: readonly string[];
}

/** The objects that cause a wait, and the remedies. */
export type WaitCause = Pick<Explanation, 'pointsTo' | 'remedies'>;

export const noCause: WaitCause = { pointsTo: [], remedies: [] };

export function toExplanation({ until, condition }: Wait, cause: WaitCause): Explanation {
  return { waitsFor: until, ...(condition === undefined ? {} : { condition: toConditionText(condition) }), ...cause };
}

/** The explanation in sentences. */
export function toSentences(name: string, explanation: Explanation | undefined): readonly string[] {
  if (explanation === undefined) {
    return [`${name} waits for nothing.`];
  }
  const { waitsFor, condition, pointsTo, remedies } = explanation;
  return [
    `${name} waits for ${waitsFor}.`,
    ...(condition === undefined ? [] : [`Condition ${condition}.`]),
    ...pointsTo.map(object => `This points to ${object}.`),
    // The sentence has no full stop, so that a command at the end can be copied.
    ...remedies.map(remedy => `What to do: ${remedy}`),
  ];
}
