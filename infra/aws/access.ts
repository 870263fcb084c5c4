// Grants functions access to the API server: an EKS access entry for each, or one kubeconfig in Secrets Manager.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { CfnOutput, Stage } from 'aws-cdk-lib';
import { CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { Code, LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { toGroupName } from '../kubernetes/identities.ts';
import { type ApiServerSettings, isToken } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import type { Network } from './network.ts';
import { toConstructId } from './physical-names.ts';
import type { ScopedFunction } from './scoped-function.ts';
import { letRead } from './secret-access.ts';

const httpsPort = 443;
/** Lambda extracts layers into /opt. */
const certificateFile = 'certificate-authority.pem';

export class ApiServerAccess extends Construct {
  /** The environment variables of each function. They contain no secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #apiServer: ApiServerSettings;
  readonly #secretArn: string | undefined;
  readonly #kmsKeyArn: string | undefined;
  readonly #network: Network | undefined;
  /** Contains the certificate authority of the API server. Undefined if a kubeconfig or a setting contains it. */
  readonly #layer: { readonly version: LayerVersion; readonly content: string } | undefined;

  /** `network` is the network of the functions. Undefined outside a VPC. */
  constructor(scope: Construct, id: string, apiServer: ApiServerSettings, network: Network | undefined) {
    super(scope, id);
    this.#apiServer = apiServer;
    this.#network = network;
    if (apiServer.kind === 'eks') {
      this.environment = {
        CAPI_EKS_CLUSTER: apiServer.cluster,
        CAPI_EKS_ENDPOINT: apiServer.endpoint,
        CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: isToken(apiServer.certificateAuthority)
          ? `data:;base64,${apiServer.certificateAuthority}`
          : `/opt/${certificateFile}`,
      };
      this.#layer = isToken(apiServer.certificateAuthority)
        ? undefined
        : this.#createLayer(apiServer.certificateAuthority);
      this.#open(apiServer.securityGroup);
    } else {
      this.#kmsKeyArn = apiServer.kmsKeyArn;
      this.#secretArn = apiServer.secretArn ?? this.#createSecret(apiServer.kmsKeyArn);
      this.environment = { CAPI_KUBECONFIG_SECRET: this.#secretArn };
    }
  }

  /** Allows connections from the functions to the API server. */
  #open(groupId: string | undefined): void {
    for (const [index, sourceSecurityGroupId] of (this.#network?.securityGroupIds ?? []).entries()) {
      if (groupId !== undefined) {
        new CfnSecurityGroupIngress(this, index === 0 ? 'Ingress' : `Ingress${index}`, {
          groupId,
          sourceSecurityGroupId,
          ipProtocol: 'tcp',
          fromPort: httpsPort,
          toPort: httpsPort,
          description: 'functions of capi-serverless',
        });
      }
    }
  }

  /** The secret with the kubeconfig. Undefined on EKS. */
  get kubeconfigSecretArn(): string | undefined {
    return this.#secretArn;
  }

  /** `name` is the name of the function. `groups` are the names of the functions whose roles in the cluster it has. */
  grant(name: string, target: ScopedFunction, groups: readonly string[] = [name]): void {
    this.#network?.join(target);
    if (this.#layer !== undefined) {
      target.lambda.addLayers(this.#layer.version);
      // By default, the CDK does not see that the content of a layer changes, and publishes no version.
      target.lambda.invalidateVersionBasedOn(this.#layer.content);
    }
    if (this.#secretArn !== undefined) {
      letRead(target, { secretArn: this.#secretArn, kmsKeyArn: this.#kmsKeyArn });
    }
    if (this.#apiServer.kind === 'eks') {
      this.#enter(this.#apiServer, { name, groups }, target);
    }
  }

  #enter(
    eks: Extract<ApiServerSettings, { kind: 'eks' }>,
    { name, groups }: { readonly name: string; readonly groups: readonly string[] },
    target: ScopedFunction,
  ): void {
    if (eks.accessEntries) {
      new CfnAccessEntry(this, `${toConstructId(name)}AccessEntry`, {
        clusterName: eks.cluster,
        principalArn: target.role.roleArn,
        kubernetesGroups: groups.map(toGroupName),
        type: 'STANDARD',
      });
    }
  }

  /** A layer, because a certificate would take almost half of the environment's 4 KB. */
  #createLayer(certificateAuthority: string): { readonly version: LayerVersion; readonly content: string } {
    const folder = path.join(Stage.of(this)?.outdir ?? '', `certificate-authority-${this.node.addr}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, certificateFile), Buffer.from(certificateAuthority, 'base64'));
    const version = new LayerVersion(this, 'CertificateAuthority', {
      code: Code.fromAsset(folder),
      description: 'Certificate authority of the management cluster',
    });
    return { version, content: certificateAuthority };
  }

  /** The secret has no value, because a kubeconfig must never be part of a template. */
  #createSecret(kmsKeyArn: string | undefined): string {
    const secret = new CfnSecret(this, 'Kubeconfig', {
      description:
        'Kubeconfig of the management cluster, with all certificates and the token in it; for capi-serverless',
      ...withoutUndefined({ kmsKeyId: kmsKeyArn }),
    });
    acknowledge(secret, 'kubeconfig');
    new CfnOutput(this, 'KubeconfigSecret', { value: secret.ref, description: 'Put the kubeconfig in here' });
    return secret.ref;
  }
}
