// The kill points of one run on a real API server. test/simulation/kills.test.ts tests all kill points in virtual time.
import { createRandom } from '../../simulation/engine/random.ts';

export interface KillPoint {
  /** The number of the request of the functions: 1, 2, … */
  readonly request: number;
  /** Whether the process is killed after the request was sent, or after its answer was received. */
  readonly moment: 'sent' | 'answered';
}

/** The number of requests varies between runs, so the last ones may not occur. */
const reachedShare = 0.8;

export const toText = ({ request, moment }: KillPoint): string => `${request}:${moment}`;

/**
 * `wish` contains points like `17:answered,20:sent`, or `all`. Without it, the seed selects `size` points without
 * repetition.
 */
export function chooseKillPoints(
  requests: number,
  { wish, seed, size }: { readonly wish: string | undefined; readonly seed: number; readonly size: number },
): readonly KillPoint[] {
  if (wish !== undefined && wish !== 'all') {
    return wish.split(',').map(readPoint);
  }
  const all = Array.from({ length: Math.floor(requests * reachedShare) }, (_, index) => index + 1).flatMap(
    (request): readonly KillPoint[] => [
      { request, moment: 'sent' },
      { request, moment: 'answered' },
    ],
  );
  if (wish === 'all') {
    return all;
  }
  const random = createRandom(`kills/${seed}`);
  const drawn: KillPoint[] = [];
  while (drawn.length < size && all.length > 0) {
    drawn.push(...all.splice(random.below(all.length), 1));
  }
  return drawn;
}

function readPoint(text: string): KillPoint {
  const [, request, moment] = /^([1-9]\d{0,5}):(sent|answered)$/.exec(text) ?? [];
  if (request === undefined) {
    throw new RangeError(`A kill point is like "17:answered" or "17:sent", not "${text}"`);
  }
  return { request: Number(request), moment: moment === 'sent' ? 'sent' : 'answered' };
}
