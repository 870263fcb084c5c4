// The IAM role of the watch-forwarder's pods. It may only send to the forwarder's queues.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnPodIdentityAssociation } from 'aws-cdk-lib/aws-eks';
import {
  FederatedPrincipal,
  type IPrincipal,
  PolicyStatement,
  Role,
  ServicePrincipal,
  SessionTagsPrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { forwarderAccount } from '../kubernetes/identities.ts';
import type { Deployment } from './deployment-schema.ts';
import type { WorkQueues } from './work-queues.ts';

type Identity = NonNullable<Deployment['sources']['forwarder']>;

interface ForwarderIdentityProps {
  readonly identity: Identity;
  readonly queues: WorkQueues;
  readonly targets: readonly string[];
}

export class ForwarderIdentity extends Construct {
  readonly roleArn: string;
  /** CAPI_QUEUE_URLS of the pods. */
  readonly queueUrls: string;

  constructor(scope: Construct, id: string, { identity, queues, targets }: ForwarderIdentityProps) {
    super(scope, id);
    const role = new Role(this, 'Role', { assumedBy: toPrincipal(Stack.of(this), identity) });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: targets.map(name => queues.get(name).queueArn),
      }),
    );
    for (const statement of queues.toKeyStatements()) {
      role.addToPolicy(statement);
    }
    this.roleArn = role.roleArn;
    this.queueUrls = queues.toUrls(targets);
    if (identity.kind === 'pod-identity') {
      new CfnPodIdentityAssociation(this, 'Association', {
        clusterName: identity.cluster,
        namespace: identity.namespace,
        serviceAccount: forwarderAccount.name,
        roleArn: role.roleArn,
      });
    }
    new CfnOutput(this, 'ForwarderRole', { value: role.roleArn });
    new CfnOutput(this, 'ForwarderQueueUrls', {
      value: this.queueUrls,
      description: 'CAPI_QUEUE_URLS of the watch-forwarder',
    });
  }
}

function toPrincipal(stack: Stack, identity: Identity): IPrincipal {
  return identity.kind === 'pod-identity' ? toPodIdentity(stack, identity) : toIrsa(identity);
}

/** Pod Identity adds session tags that identify the pod: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html */
function toPodIdentity(stack: Stack, { cluster, namespace }: Extract<Identity, { kind: 'pod-identity' }>): IPrincipal {
  const conditions = {
    StringEquals: {
      'aws:RequestTag/eks-cluster-arn': stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: cluster }),
      'aws:RequestTag/kubernetes-namespace': namespace,
      'aws:RequestTag/kubernetes-service-account': forwarderAccount.name,
    },
  };
  return new SessionTagsPrincipal(new ServicePrincipal('pods.eks.amazonaws.com', { conditions }));
}

/** https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html */
function toIrsa({ oidcProvider, namespace }: Extract<Identity, { kind: 'irsa' }>): IPrincipal {
  const issuer = oidcProvider.slice(oidcProvider.indexOf('/') + 1);
  return new FederatedPrincipal(
    oidcProvider,
    {
      StringEquals: {
        [`${issuer}:aud`]: 'sts.amazonaws.com',
        [`${issuer}:sub`]: `system:serviceaccount:${namespace}:${forwarderAccount.name}`,
      },
    },
    'sts:AssumeRoleWithWebIdentity',
  );
}
