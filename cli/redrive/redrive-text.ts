// The text output of a redrive.
import { toPlainText } from '../../local/view/text.ts';
import type { DeadLetter, Redriven } from './redrive.ts';

/** Returns one line per dead letter. Control characters of messages are removed. */
export function toLetterLine(letter: DeadLetter): string {
  const { key, cause, trace, attempt, receiveCount, ageSeconds, outcome, problem, messageId } = letter;
  const about =
    key === undefined
      ? [`message ${messageId}, which names no object`]
      : [key, `cause ${cause}`, `attempt ${attempt}`, `trace ${trace}`];
  const facts = [...about, `received ${receiveCount} times`, `${ageSeconds} s old`].join(', ');
  return toPlainText(`${outcome}  ${facts}${problem === undefined ? '' : `: ${problem}`}`);
}

/** Returns the last lines, with a line break at the end. */
export function toRedriveSummary({ queue, letters, found, others }: Redriven): string {
  if (letters.length === 0) {
    return toEmptySummary({ queue, found, others });
  }
  const count = (outcome: DeadLetter['outcome']): number => letters.filter(letter => letter.outcome === outcome).length;
  const parts = (['moved', 'refused', 'shown'] as const)
    .filter(outcome => count(outcome) > 0)
    .map(outcome => `${count(outcome)} ${outcome}`);
  const left = found - letters.length - others;
  const stay = others > 0 ? `; ${toOthers(others)} stay` : '';
  const more = left > 0 ? `; about ${left} more were not shown: a FIFO queue may show one per object at a time` : '';
  return `${parts.join(', ')} of ${found} dead letters of queue ${queue}${stay}${more}.\n`;
}

function toEmptySummary({ queue, found, others }: Omit<Redriven, 'letters'>): string {
  if (found === 0) {
    return `Queue ${queue} has no dead letters.\n`;
  }
  return others > 0
    ? `Queue ${queue} has no dead letters of this reconciler; ${toOthers(others)} stay.\n`
    : `The ${found} dead letters of queue ${queue} are in other hands now; try again later.\n`;
}

function toOthers(others: number): string {
  return `${others} of other reconcilers, or unreadable,`;
}
