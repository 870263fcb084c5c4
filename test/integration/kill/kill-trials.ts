// Plays the same story once for each kill point, in several processes side by side.
import { type KillPoint, toText } from './kill-points.ts';

/** The number of concurrent processes. Each has its own namespace and watch filter. */
const lanes = 4;

interface Story<Ended> {
  /** Plays the story in this namespace. With `kill`, its process is killed at this point and restarted. */
  readonly play: (namespace: string, kill: string) => Promise<Ended>;
  /** The part of the end that a kill must not change. */
  readonly toOutcome: (ended: Ended) => unknown;
}

/** Returns one line for each kill that leads to another outcome than that of the undisturbed run. */
export async function findDifferences<Ended extends { readonly killed: boolean }>(
  points: readonly KillPoint[],
  undisturbed: Ended,
  { play, toOutcome }: Story<Ended>,
): Promise<readonly string[]> {
  const expected = JSON.stringify(toOutcome(undisturbed));
  const different: string[] = [];
  const left = [...points];
  let runs = 0;
  /**
   * On a busy machine, more changes are merged into one reconcile, and a run may end before this request. Then a new
   * run is killed at half of the number.
   */
  const killAt = async (point: KillPoint): Promise<{ readonly at: string; readonly ended: Ended }> => {
    const at = toText(point);
    runs += 1;
    const ended = await play(`kill-${runs}`, at);
    if (ended.killed) {
      return { at, ended };
    }
    if (point.request === 1) {
      throw new Error(`The run was not killed at its first request, ${at}`);
    }
    return killAt({ ...point, request: Math.floor(point.request / 2) });
  };
  const lane = async (): Promise<void> => {
    for (let point = left.shift(); point !== undefined; point = left.shift()) {
      const { at, ended } = await killAt(point);
      const outcome = JSON.stringify(toOutcome(ended));
      if (outcome !== expected) {
        different.push(`killed at ${at}: ${outcome}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(`${points.length - different.length} of ${points.length} end as the undisturbed run`);
  return different;
}

interface AcceptedRequest {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Returns the accepted requests in the text of an audit log. */
export function readAccepted(auditLog: string): readonly AcceptedRequest[] {
  return auditLog
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(({ responseStatus, objectRef }) => responseStatus?.code < 400 && objectRef !== undefined)
    .map(({ user, verb, objectRef: { resource, subresource, namespace, name } }) => ({
      user: user.username,
      verb,
      resource,
      subresource,
      namespace,
      name,
    }));
}
