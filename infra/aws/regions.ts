// What AWS offers in which region, as far as a deployment depends on it. Pure. test/infra/regions.test.ts compares the
// names with those of the CDK, and test/integration/aws-templates.test.ts the Function URLs with those of cfn-lint.
//
// As of November 2026, from https://docs.aws.amazon.com/general/latest/gr/lambda-service.html,
// https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html and
// https://docs.amazonaws.cn/en_us/aws/latest/userguide/lambda.html. Regions without public documentation are left out.

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html */
type Partition = 'aws' | 'aws-cn' | 'aws-us-gov';

export const regionsOf: Readonly<Record<Partition, readonly string[]>> = {
  aws: [
    'af-south-1',
    'ap-east-1',
    'ap-east-2',
    'ap-northeast-1',
    'ap-northeast-2',
    'ap-northeast-3',
    'ap-south-1',
    'ap-south-2',
    'ap-southeast-1',
    'ap-southeast-2',
    'ap-southeast-3',
    'ap-southeast-4',
    'ap-southeast-5',
    'ap-southeast-6',
    'ap-southeast-7',
    'ca-central-1',
    'ca-west-1',
    'eu-central-1',
    'eu-central-2',
    'eu-north-1',
    'eu-south-1',
    'eu-south-2',
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'il-central-1',
    'me-central-1',
    'me-south-1',
    'me-west-1',
    'mx-central-1',
    'sa-east-1',
    'us-east-1',
    'us-east-2',
    'us-west-1',
    'us-west-2',
  ],
  'aws-cn': ['cn-north-1', 'cn-northwest-1'],
  'aws-us-gov': ['us-gov-east-1', 'us-gov-west-1'],
};

const withoutFunctionUrls: readonly string[] = [
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-west-1',
  'mx-central-1',
];

/** Undefined for an unknown region. */
export function partitionOf(region: string): Partition | undefined {
  const all = Object.keys(regionsOf) as readonly Partition[]; // true: the keys of the table
  return all.find(partition => regionsOf[partition].includes(region));
}

/** Whether Lambda has Function URLs there. Only the partition `aws` has them. */
export function hasFunctionUrls(region: string): boolean {
  return partitionOf(region) === 'aws' && !withoutFunctionUrls.includes(region);
}

/**
 * Whether Lambda has what the regions in China lack: X-Ray, the metrics of asynchronous invocations, and the detection of
 * recursive loops. An unknown region has it.
 */
export function hasLambdaExtras(region: string): boolean {
  return partitionOf(region) !== 'aws-cn';
}
