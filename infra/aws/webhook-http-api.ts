// An HTTP API in front of a function that API servers call, for regions and accounts without Function URLs. Its requests have the
// format of a Function URL: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import { CfnApi, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import { toPhysicalName } from './physical-names.ts';
import { toRemovalPolicy } from './removal.ts';
import type { ScopedFunction } from './scoped-function.ts';

/** Requests per second. Only those of API servers are authenticated. */
export interface Throttle {
  readonly throttlingRateLimit: number;
  readonly throttlingBurstLimit: number;
}

/** Fields of an access log line. They contain no path, no header and no body. */
const logged = {
  requestId: '$context.requestId',
  ip: '$context.identity.sourceIp',
  status: '$context.status',
  bytes: '$context.responseLength',
  error: '$context.error.message',
};

interface WebhookHttpApiProps {
  /** The last part of its name. */
  readonly name: string;
  readonly throttle: Throttle;
  readonly target: ScopedFunction;
  readonly deployment: Pick<Deployment, 'name' | 'logRetentionDays' | 'removal'>;
  /** The key of the access log. */
  readonly encryptionKey: IKey | undefined;
}

export class WebhookHttpApi extends Construct {
  /** Its address, which ends with a slash. */
  readonly url: string;

  constructor(
    scope: Construct,
    id: string,
    { name: called, throttle, target, deployment, encryptionKey }: WebhookHttpApiProps,
  ) {
    super(scope, id);
    const stack = Stack.of(this);
    const { name, logRetentionDays } = deployment;
    const apiName = toPhysicalName(name, called);
    const api = new CfnApi(this, 'Api', { name: apiName, protocolType: 'HTTP', ipAddressType: 'dualstack' });
    const integration = new CfnIntegration(this, 'Integration', {
      apiId: api.ref,
      integrationType: 'AWS_PROXY',
      integrationUri: target.live.functionArn,
      payloadFormatVersion: '2.0',
    });
    const route = new CfnRoute(this, 'Route', {
      apiId: api.ref,
      routeKey: '$default',
      authorizationType: 'NONE',
      target: Fn.join('/', ['integrations', integration.ref]),
    });
    acknowledge(route, 'webhook route');
    const logs = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/apigateway/${apiName}`,
      retention: logRetentionDays,
      removalPolicy: toRemovalPolicy(deployment),
      ...withoutUndefined({ encryptionKey }),
    });
    const destinationArn = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      resourceName: `/aws/apigateway/${apiName}`,
    });
    const stage = new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: throttle,
      accessLogSettings: { destinationArn, format: JSON.stringify(logged) },
    });
    stage.node.addDependency(logs);
    new CfnPermission(this, 'Invoke', {
      functionName: target.live.functionArn,
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      sourceArn: stack.formatArn({ service: 'execute-api', resource: api.ref, resourceName: '*/$default' }),
    });
    this.url = `${api.attrApiEndpoint}/`;
  }
}
