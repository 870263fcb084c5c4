// The two triggers of the audit function: a Function URL for API servers, and a subscription of an EKS audit log.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnPermission, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { CfnRotationSchedule, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from './findings.ts';
import type { ScopedFunction } from './scoped-function.ts';

/** The length of the token. It prevents guessing. The characters need no quotes in a kubeconfig. */
const tokenLength = 43;

/** Excludes reads and requests that are not complete. */
export const auditLogPattern =
  '{ $.apiVersion = "audit.k8s.io/v1" && $.stage = "ResponseComplete" && $.verb != "get" && $.verb != "list" && $.verb != "watch" }';

interface TokenRotation {
  /** The function that Secrets Manager calls. */
  readonly rotator: ScopedFunction;
  readonly everyDays: number;
}

interface AuditWebhookProps {
  readonly target: ScopedFunction;
  readonly rotation: TokenRotation | undefined;
}

/** A Function URL for API servers, which cannot sign requests. A bearer token in Secrets Manager authenticates them. */
export class AuditWebhook extends Construct {
  constructor(scope: Construct, id: string, { target, rotation }: AuditWebhookProps) {
    super(scope, id);
    const tokens = new Secret(this, 'Tokens', {
      description:
        'Bearer token of the audit webhook; after a rotation, the second line holds the previous token, which is still valid',
      generateSecretString: { excludePunctuation: true, passwordLength: tokenLength },
    });
    if (rotation === undefined) {
      acknowledge(tokens, 'audit tokens');
    } else {
      this.#rotate(tokens, rotation);
    }
    target.allow(['secretsmanager:GetSecretValue'], [tokens.secretArn]);
    target.lambda.addEnvironment('CAPI_AUDIT_TOKENS_SECRET', tokens.secretArn);
    const functionName = target.lambda.functionName;
    const url = new CfnUrl(this, 'Url', { authType: 'NONE', targetFunctionArn: target.lambda.functionArn });
    // Both permissions are required since October 2025: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
    const everyone = { functionName, principal: '*' };
    new CfnPermission(this, 'InvokeUrl', {
      ...everyone,
      action: 'lambda:InvokeFunctionUrl',
      functionUrlAuthType: 'NONE',
    });
    new CfnPermission(this, 'Invoke', { ...everyone, action: 'lambda:InvokeFunction', invokedViaFunctionUrl: true });
    new CfnOutput(this, 'AuditWebhookUrl', {
      value: url.attrFunctionUrl,
      description: 'server of the webhook kubeconfig',
    });
    new CfnOutput(this, 'AuditTokenSecret', {
      value: tokens.secretArn,
      description: 'token of the webhook kubeconfig: the first line',
    });
  }

  #rotate({ secretArn }: Secret, { rotator, everyDays }: TokenRotation): void {
    const actions = ['GetSecretValue', 'DescribeSecret', 'PutSecretValue', 'UpdateSecretVersionStage'];
    rotator.allow(
      actions.map(action => `secretsmanager:${action}`),
      [secretArn],
    );
    const permission = new CfnPermission(this, 'InvokeRotation', {
      functionName: rotator.lambda.functionName,
      action: 'lambda:InvokeFunction',
      principal: 'secretsmanager.amazonaws.com',
      sourceAccount: Stack.of(this).account,
      sourceArn: secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Rotation', {
      secretId: secretArn,
      rotationLambdaArn: rotator.lambda.functionArn,
      rotationRules: { automaticallyAfterDays: everyDays },
      rotateImmediatelyOnUpdate: false,
    });
    schedule.node.addDependency(permission, rotator.role);
  }
}

/** Forwards the EKS audit log of changes. The control plane logging of the cluster must be enabled. */
export class AuditLogSubscription extends Construct {
  constructor(scope: Construct, id: string, { cluster, target }: { cluster: string; target: ScopedFunction }) {
    super(scope, id);
    const stack = Stack.of(this);
    const logGroupName = `/aws/eks/${cluster}/cluster`;
    const permission = new CfnPermission(this, 'Invoke', {
      functionName: target.lambda.functionName,
      action: 'lambda:InvokeFunction',
      principal: 'logs.amazonaws.com',
      sourceAccount: stack.account,
      sourceArn: `arn:${stack.partition}:logs:${stack.region}:${stack.account}:log-group:${logGroupName}:*`,
    });
    const filter = new CfnSubscriptionFilter(this, 'Filter', {
      logGroupName,
      destinationArn: target.lambda.functionArn,
      filterPattern: auditLogPattern,
    });
    filter.node.addDependency(permission);
  }
}
