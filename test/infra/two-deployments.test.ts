// Two deployments in one account and region share only the resources that the operator configures for both. They have
// no name in common. Neither has a reference to resources of the other, or permissions for them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSharedName } from '../../infra/aws/physical-names.ts';
import {
  admissionFunction,
  auditFunction,
  conversionFunction,
  rotationFunction,
  windowedFunction,
} from '../../infra/function-plans.ts';
import { type IamRequest, isAllowed, serviceOf, toList } from '../support/iam.ts';
import { type Realised, realise, statementsOf } from '../support/realised.ts';
import { eksDeployment, functions, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const place = { partition: 'aws', region: eksDeployment.region, account: eksDeployment.account };
const made = makeBundles();
const webhooks = [auditFunction, admissionFunction, conversionFunction];
const coreNames = [...functions, ...webhooks, rotationFunction, windowedFunction].map(({ name }) => name);

afterAll(() => made.remove());

const { apiServer, vpc, sources, ...others } = eksDeployment;
const rest = { ...others, admission: {}, conversion: {} };
const other = { ...apiServer, cluster: 'staging', endpoint: apiServer.endpoint.replace('0123', '4567') };
const watched = (cluster: string, namespace: string) => ({
  ...sources,
  auditLogOf: cluster,
  forwarder: { kind: 'pod-identity', cluster, namespace },
});

/** Resources that the operator configures for both are shared. */
const pairs = [
  {
    reason: 'two management clusters',
    blue: { ...rest, apiServer, vpc, sources },
    green: { ...rest, apiServer: other, vpc, sources: watched('staging', 'capi-serverless') },
  },
  {
    reason: 'one management cluster, split by watch filters',
    blue: { ...rest, apiServer, vpc, sources: watched('mgmt', 'capi-blue'), settings: { watchFilter: 'of-blue' } },
    green: { ...rest, apiServer, vpc, sources: watched('mgmt', 'capi-green'), settings: { watchFilter: 'of-green' } },
  },
  {
    reason: 'kubeconfigs of their own, without a VPC',
    blue: { ...rest, sources: { windowed: true } },
    green: { ...rest, sources: { windowed: true } },
  },
];

/** Names that AWS keeps unique within an account and region. */
const nameFields = [
  'QueueName',
  'FunctionName',
  'LogGroupName',
  'Name',
  'RoleName',
  'PolicyName',
  'AlarmName',
  'TopicName',
  'DashboardName',
];

/**
 * Names of inline policies are scoped to their role, and those of aliases to their function. A subscription contains the
 * name of a log group that EKS created.
 */
const namesOfOthers = ['AWS::IAM::Policy', 'AWS::Lambda::Alias', 'AWS::Logs::SubscriptionFilter'];

function namesOf({ resources }: Realised): readonly string[] {
  return [...resources.values()].flatMap(({ Type, Properties }) =>
    nameFields.flatMap(field => {
      const name = Properties[field];
      return typeof name === 'string' && !namesOfOthers.includes(Type) ? [`${Type} ${name}`] : [];
    }),
  );
}

const statementsIn = ({ roles }: Realised) => [...roles.values()].flat();
const actionsIn = (realised: Realised) => statementsIn(realised).flatMap(({ Action }) => toList(Action));

/** Every resource in a policy of the first deployment is checked against each resource of the same service. */
function questionsAbout(target: Realised, ...speakers: readonly Realised[]): readonly IamRequest[] {
  const actions = new Set(speakers.flatMap(actionsIn));
  return target.arns.flatMap(resource =>
    [...actions].filter(action => serviceOf(action) === serviceOf(resource)).map(action => ({ action, resource })),
  );
}

describe.each(pairs)('two deployments in one account and region: $reason', pair => {
  let blue: Realised;
  let green: Realised;
  let exports: string;

  beforeAll(() => {
    const stacks = [
      synthesise({ ...pair.blue, name: 'capi-blue' }, made),
      synthesise({ ...pair.green, name: 'capi-green' }, made),
    ] as const;
    [blue, green] = [realise(stacks[0], place), realise(stacks[1], place)];
    exports = JSON.stringify(stacks.map(({ resources, outputs }) => ({ resources, outputs })));
  });

  const both = (): readonly (readonly [Realised, Realised, string])[] => [
    [blue, green, 'green'],
    [green, blue, 'blue'],
  ];

  it('share no name', () => {
    expect(namesOf(blue).length).toBeGreaterThan(10);
    expect(namesOf(blue).filter(name => namesOf(green).includes(name))).toEqual([]);
    expect(blue.arns.filter(arn => green.arns.includes(arn))).toEqual([]);
  });

  it('do not refer to each other, neither in the template nor with every reference resolved', () => {
    for (const [one, , foreign] of both()) {
      expect(JSON.stringify([...one.resources])).not.toContain(`capi-${foreign}`);
    }
    expect(exports).not.toContain('Fn::ImportValue');
    expect(exports).not.toContain('"Export"');
  });

  it('give no role a right on a resource of the other, while each role has its own', () => {
    for (const [one, another] of both()) {
      const [own, foreign] = [questionsAbout(one, one), questionsAbout(another, one, another)];
      expect(foreign.length).toBeGreaterThan(50);
      for (const [role, statements] of one.roles) {
        expect(
          own.some(question => isAllowed(statements, question)),
          `${role} may do nothing`,
        ).toBe(true);
        expect(foreign.filter(question => isAllowed(statements, question))).toEqual([]);
      }
    }
  });

  it('name no queue, function, log group or secret of the other in any statement', () => {
    const resourcesIn = (realised: Realised) => statementsIn(realised).flatMap(({ Resource = [] }) => toList(Resource));
    const shared = new Set(resourcesIn(blue).filter(arn => resourcesIn(green).includes(arn)));
    // Network interfaces, which a Deny statement withholds from the code. X-Ray has no resources.
    expect([...shared].filter(arn => arn !== '*')).toEqual([]);
  });

  it('open no queue, function or role to the other: resource policies allow only services, bound to their own deployment', () => {
    for (const [one, another] of both()) {
      const queuePolicies = [...one.resources.values()].filter(({ Type }) => Type === 'AWS::SQS::QueuePolicy');
      expect(queuePolicies.length).toBeGreaterThan(0);
      const statements = queuePolicies.flatMap(({ Properties }) => statementsOf(Properties['PolicyDocument']));
      expect(statements.filter(({ Effect }) => Effect !== 'Deny')).toEqual([]);
      for (const [role, trusted] of one.trust) {
        const principals = trusted.map(({ Principal }) => JSON.stringify(Principal));
        expect(
          principals.filter(principal => !/^\{"Service":"[a-z.]+\.amazonaws\.com"\}$/.test(principal)),
          role,
        ).toEqual([]);
      }
      // A name that matches the resources of one deployment must not match those of the other.
      const bound = [...one.trust.values()].flat().filter(({ Condition }) => Condition !== undefined);
      const foreign = [...another.trust.values()].flat().map(statement => JSON.stringify(statement));
      expect(bound.filter(statement => foreign.includes(JSON.stringify(statement)))).toEqual([]);
    }
  });
});

describe('two deployments of which one name begins with the other', () => {
  const fields = ['FunctionName', 'QueueName', 'AlarmName', 'LogGroupName'];
  const typed = (of: Synthesised): readonly string[] =>
    Object.values(of.resources).flatMap(({ Properties = {} }) =>
      fields.flatMap(field => (typeof Properties[field] === 'string' ? [`${field} ${Properties[field]}`] : [])),
    );
  const watching = { windowed: true, auditWebhook: {}, forwarder: { kind: 'pod-identity', cluster: 'mgmt' } };
  const full = { ...eksDeployment, sources: watching, monitoring: { alarms: 'all' } };

  it('are refused exactly if a resource of one could have the name of a resource of the other', () => {
    const names = typed(synthesise({ ...full, name: 'capi' }, made));
    const endings = new Set(
      names.flatMap(name => {
        const parts = name.replace(/^.*capi./, '').split('-');
        return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('-'));
      }),
    );
    const colliding = [...endings].filter(ending => {
      const others = names.map(name => name.replace('capi', `capi-${ending}`));
      return others.some(name => names.includes(name));
    });
    const ofCore = colliding.filter(ending => !ending.startsWith('simulated'));
    expect(ofCore.toSorted()).toEqual(['machinedeployment', 'machineset']);
    expect(endings.size).toBeGreaterThan(10);
    for (const ending of colliding) {
      expect(() => synthesise({ ...full, name: `capi-${ending}` }, made)).toThrow(
        new RegExp(`^Deployment capi-${ending}: capi-${ending}-[a-z-]+ can also be a name of deployment capi; `),
      );
    }
    const isRefused = (ending: string): boolean =>
      colliding.some(each => ending === each || ending.endsWith(`-${each}`));
    for (const ending of [...endings].filter(each => !isRefused(each))) {
      expect(findSharedName(`capi-${ending}`, coreNames), ending).toBeUndefined();
    }
  });

  it('share no name if they are accepted, and each dashboard has the region in its name', () => {
    const [short, long] = ['capi', 'capi-work'].map(name => synthesise({ ...full, name }, made));
    const names = short === undefined ? [] : typed(short);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter(name => long !== undefined && typed(long).includes(name))).toEqual([]);
    const dashboards = [short, long].flatMap(of => of?.all('AWS::CloudWatch::Dashboard') ?? []);
    expect(dashboards.map(({ Properties }) => Properties['DashboardName'])).toEqual([
      'capi-eu-central-1',
      'capi-work-eu-central-1',
    ]);
  });
});
