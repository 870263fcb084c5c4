// Invariant I4. A function is killed before a call is sent, or after the call took effect but before its answer
// arrives. The next invocation must finish the work from the stored state.
import type { Recorded } from './recorded.ts';
import { differencesAtTheEnd, type KillSubject } from './rest-of-run.ts';
import { type InvocationEffects, type Kill, KillStage } from './stage.ts';

interface Examined {
  /** The kill points of this invocation: two per call. */
  readonly points: number;
  /** The number of different states and messages after the kills. */
  readonly states: number;
  /** The states after which another function had to run before the work could be finished. */
  readonly withOthers: number;
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly kill: Kill;
  /** The call at which the process was killed. */
  readonly at: string;
  readonly problems: readonly string[];
}

/** The maximum number of repetitions until a function writes nothing. */
const mostRepetitions = 12;

/** Kills the invocation at each of its calls. Each resulting state is examined once. */
export async function examine(recorded: Recorded, subject: KillSubject): Promise<Examined> {
  const { reconcilers } = subject;
  const stage = new KillStage(recorded, reconcilers);
  const first = await stage.invoke();
  const undisturbed = await repeatUntilSettled(stage);
  if (!first.answered || undisturbed.problems.length > 0) {
    throw new Error(`The undisturbed invocation of ${stage.queue} fails: ${undisturbed.problems.join('; ')}`);
  }
  const states = new Set<string>();
  const failures: Failure[] = [];
  const points = pointsOf(first);
  let withOthers = 0;
  // A killed invocation makes some of the calls. Without effects, the resulting state does not depend on the kill
  // point. So only the last point is examined.
  for (const kill of first.effects.length === 0 ? points.slice(-1) : points) {
    const killed = new KillStage(recorded, reconcilers);
    const { answered, effects } = await killed.invoke(kill);
    const at = first.calls[kill.call - 1] ?? '';
    const left = effects.join('\n');
    if (answered) {
      failures.push({ kill, at, problems: ['the process was not killed'] });
    } else if (!states.has(left)) {
      states.add(left);
      const { problems, needsOthers } = await continueAfter(killed, undisturbed, subject);
      withOthers += needsOthers ? 1 : 0;
      failures.push(...(problems.length > 0 ? [{ kill, at, problems }] : []));
    }
  }
  return { points: points.length, states: states.size, withOthers, failures };
}

interface Continued {
  readonly problems: readonly string[];
  readonly needsOthers: boolean;
}

async function continueAfter(killed: KillStage, undisturbed: Finished, subject: KillSubject): Promise<Continued> {
  const finished = await repeatUntilSettled(killed);
  const differences = differencesOf(finished, undisturbed);
  if (finished.problems.length > 0 || differences.length === 0) {
    return { problems: finished.problems, needsOthers: false };
  }
  const atTheEnd = await differencesAtTheEnd(killed, undisturbed.stage, subject);
  return { problems: atTheEnd.length === 0 ? [] : [...atTheEnd, ...differences], needsOthers: true };
}

function pointsOf({ calls }: InvocationEffects): readonly Kill[] {
  return calls.flatMap((_, index): readonly Kill[] => [
    { call: index + 1, when: 'before' },
    { call: index + 1, when: 'after' },
  ]);
}

interface Finished {
  readonly stage: KillStage;
  readonly objects: ReadonlyMap<string, string>;
  /** The follow-ups of the last invocation. */
  readonly followUps: ReadonlySet<string>;
  readonly commits: readonly string[];
  readonly problems: readonly string[];
}

/**
 * The queue delivers the messages again until the function writes nothing, or only times. An example of such a time is
 * the next attempt of a blocked hook.
 */
async function repeatUntilSettled(stage: KillStage): Promise<Finished> {
  let before = '';
  for (let times = 1; times <= mostRepetitions; times += 1) {
    await stage.untilDelivered(times);
    const { answered, commits, followUps } = await stage.invoke();
    const now = commits.length === 0 || times === 1 ? '' : JSON.stringify([...stage.objects(), ...stage.fieldOwners()]);
    if (answered && (commits.length === 0 || (now !== '' && now === before))) {
      return { stage, objects: stage.objects(), followUps, commits, problems: stage.violations };
    }
    before = now;
  }
  throw new Error(`I10: the invocation of ${stage.queue} does not settle within ${mostRepetitions} repetitions`);
}

function differencesOf(found: Finished, expected: Finished): readonly string[] {
  const missing = [...expected.followUps].filter(each => !found.followUps.has(each));
  return [
    ...contrast(found.objects, expected.objects),
    ...contrast(found.stage.changes, expected.stage.changes),
    ...missing.map(each => `I1: it sends no ${each}`),
    ...(found.commits.join() === expected.commits.join() ? [] : [`I3: it still writes ${found.commits.join()}`]),
  ];
}

function contrast<T>(found: ReadonlyMap<string, T>, expected: ReadonlyMap<string, T>): readonly string[] {
  return [...new Set([...found.keys(), ...expected.keys()])]
    .filter(name => found.get(name) !== expected.get(name))
    .map(name => `I2: ${name}: ${found.get(name)} instead of ${expected.get(name)}`);
}
