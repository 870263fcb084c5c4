// What kubectl prints, and how it ends, on the embedded server and on a real kube-apiserver.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declareMissing } from '../../support/describe-part.ts';
import { describeReal } from '../../support/describe-real.ts';
import { describeRotation, itemsOf, rotationOf } from '../../support/rotation.ts';
import { knownDifferences } from './invocations/known-differences.ts';
import { readingSessions } from './invocations/reading.ts';
import { lineOf, type Printed, playSession, type Session } from './invocations/session.ts';
import { writingSessions } from './invocations/writing.ts';
import { kubectlProblem, withKubectl } from './kubectl.ts';
import { type ApiServerSubject, openEmbedded, openReal, prepare } from './subject.ts';

const sessions = [...readingSessions, ...writingSessions];
const rotation = rotationOf(3);

function compareInvocations(): void {
  let subjects: readonly ApiServerSubject[] = [];

  beforeAll(async () => {
    subjects = await Promise.all([openEmbedded(), openReal()]);
    await Promise.all(subjects.map(prepare));
  });

  afterAll(async () => {
    await Promise.all(subjects.map(subject => subject.close()));
  });

  it('are many', () => {
    expect(sessions.flatMap(({ lines }) => lines).length).toBeGreaterThanOrEqual(120);
  });

  it('have differences that are known only where the line exists', () => {
    const lines = sessions.flatMap(session => session.lines.map(lineOf));
    expect(Object.keys(knownDifferences).filter(line => !lines.includes(line))).toEqual([]);
  });

  console.log(describeRotation('Sessions of kubectl', rotation));

  it.for(itemsOf(sessions, rotation))('$name', async session => {
    const [embedded = [], real = []] = await Promise.all(subjects.map(subject => play(subject, session)));
    const differing = embedded.flatMap((ours, at) => {
      const theirs = real[at];
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ ours, theirs }];
    });
    expect(differing.filter(({ ours }) => !(ours.line in knownDifferences))).toEqual([]);
    const known = embedded.map(({ line }) => line).filter(line => line in knownDifferences);
    expect(known.filter(line => !differing.some(({ ours }) => ours.line === line))).toEqual([]);
  });
}

async function play({ kubeconfigPath }: ApiServerSubject, session: Session): Promise<readonly Printed[]> {
  let printed: readonly Printed[] = [];
  await withKubectl(kubeconfigPath, async kubectl => {
    printed = await playSession(kubectl, session);
  });
  return printed;
}

const problem = kubectlProblem();
const suite = 'invocations of kubectl';
if (problem === undefined) {
  describeReal(suite, compareInvocations, { needs: 'controllers' });
} else {
  declareMissing(suite, problem);
}
