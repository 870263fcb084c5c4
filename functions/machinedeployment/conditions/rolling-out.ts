// The condition RollingOut: the number of Machines that are not up to date, and in which fields.
import { compareText } from '@capi-serverless/apimachinery';
import { type ConditionDraft, getCondition } from '@capi-serverless/cluster-api/conditions';
import type { DeploymentFacts } from './deployment-facts.ts';

const type = 'RollingOut';

export function rollingOut({ machines }: Pick<DeploymentFacts, 'machines'>): ConditionDraft {
  const outdated = machines.flatMap(({ status }) => {
    const upToDate = getCondition(status.conditions, 'UpToDate');
    return upToDate?.status === 'False' ? [upToDate.message] : [];
  });
  if (outdated.length === 0) {
    return { type, status: 'False', reason: 'NotRollingOut', message: '' };
  }
  const lines = new Set(outdated.flatMap(message => message.split('\n')).filter(line => line !== ''));
  const message = [`Rolling out ${outdated.length} not up-to-date replicas`, ...sortLines([...lines])].join('\n');
  return { type, status: 'True', reason: type, message };
}

/** A change of the version is named first. */
function sortLines(lines: readonly string[]): readonly string[] {
  const rank = (line: string) => (line.startsWith('* Version') ? 0 : 1);
  return lines.toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}
