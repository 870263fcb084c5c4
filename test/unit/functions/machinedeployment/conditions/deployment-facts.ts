// The facts of a pass over `ns/md1`, as short texts: the MachineSets `ms1 3/2 a1`, the Machines `m1 UpToDate=False:text`.
import type { DeploymentFacts } from '../../../../../functions/machinedeployment/conditions/deployment-conditions.ts';
import { readWholeMachine, type WholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet, type WholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachine, aMachineDeployment, aMachineSet } from '../../../../support/builders.ts';
import { type ConditionParts, testStart } from '../../../../support/object-builder.ts';

const minuteMs = 60_000;
export const now = testStart + 60 * minuteMs;

/** `ms1 3/2 r2 a1 u0`: two replicas of three exist, two are ready, one is available, none is up to date. */
export function aSet(text: string): WholeMachineSet {
  const [, name = '', spec = '', status] = /^(\w+) (\d+)(?:\/(\d+))?/.exec(text) ?? [];
  const counter = (mark: string) => new RegExp(` ${mark}(\\d+)`).exec(text)?.[1];
  const counters = {
    replicas: status,
    readyReplicas: counter('r'),
    availableReplicas: counter('a'),
    upToDateReplicas: counter('u'),
  };
  const reported = Object.entries(counters).flatMap(([field, count]) => (count ? [[field, Number(count)]] : []));
  const built = aMachineSet().named(name).withReplicas(Number(spec)).withStatus(Object.fromEntries(reported));
  return readWholeMachineSet(built.build());
}

/** `age` and `deleting` are minutes before now. `Type=Status:message` is a condition. */
function aMember(text: string): WholeMachine {
  const [name = '', ...parts] = text.split(' ');
  const made = parts.reduce((builder, part) => {
    const [key = '', value = ''] = part.split('=');
    if (key === 'age') {
      return builder.createdAt(now - Number(value) * minuteMs);
    }
    if (key === 'deleting') {
      return builder.deleting(now - Number(value) * minuteMs);
    }
    const [status = '', message = ''] = value.split(':');
    return builder.withCondition(key, {
      // True: tests write one of the three.
      status: status as NonNullable<ConditionParts['status']>,
      message: message.replaceAll('_', ' ').replaceAll('|', '\n'),
    });
  }, aMachine().named(name));
  return readWholeMachine(made.build());
}

export interface FactTexts {
  /** The spec of the deployment. Default: three replicas, one in surge, none unavailable. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly isDeleting?: boolean;
  /** `undefined`: the MachineSets are not known. */
  readonly sets?: readonly string[] | undefined;
  readonly machines?: readonly string[];
  readonly missing?: readonly string[];
}

export function rolling(maxSurge: unknown, maxUnavailable: unknown) {
  return { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } } };
}

export const onDelete = { rollout: { strategy: { type: 'OnDelete' } } };

export function facts({ spec, isDeleting, machines = [], missing = [], ...given }: FactTexts): DeploymentFacts {
  const sets = 'sets' in given ? given.sets : [];
  const deployment = aMachineDeployment().withSpec({ replicas: 3, ...rolling(1, 0), ...spec });
  const built = isDeleting === true ? deployment.deleting(now) : deployment;
  return {
    deployment: readWholeMachineDeployment(built.build()),
    sets: sets?.map(aSet),
    machines: machines.map(aMember),
    missingTemplates: missing,
    now,
  };
}
