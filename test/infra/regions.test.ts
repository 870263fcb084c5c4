// The table of regions, compared with that of the CDK.
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { expect, it } from 'vitest';
import { hasFunctionUrls, hasLambdaExtras, partitionOf, regionsOf } from '../../infra/aws/regions.ts';

it('names the regions that the CDK knows, each in its partition', () => {
  for (const [partition, regions] of Object.entries(regionsOf)) {
    const known = RegionInfo.regions.filter(region => region.partition === partition).map(({ name }) => name);
    expect(regions.toSorted(), partition).toEqual(known.toSorted());
  }
});

it.each([
  { region: 'eu-central-1', partition: 'aws', urls: true, extras: true },
  { region: 'mx-central-1', partition: 'aws', urls: false, extras: true },
  { region: 'us-gov-west-1', partition: 'aws-us-gov', urls: false, extras: true },
  { region: 'cn-north-1', partition: 'aws-cn', urls: false, extras: false },
  { region: 'eu-centre-1', partition: undefined, urls: false, extras: true },
])('says of $region what Lambda has there', ({ region, partition, urls, extras }) => {
  expect(partitionOf(region)).toBe(partition);
  expect(hasFunctionUrls(region)).toBe(urls);
  expect(hasLambdaExtras(region)).toBe(extras);
});
