// Rule matching of audit policies.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../../../infra/bundles/bundle.ts';
import { auditPolicyPath } from '../../../../../infra/kubernetes/outputs.ts';
import {
  type Attributes,
  AuditPolicyError,
  decideAudit,
  parseAuditPolicy,
} from '../../../../../packages/apiserver/audit/policy.ts';

function aPolicy(rules: readonly object[], parts: object = {}): unknown {
  return { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...parts, rules };
}

const resource = { group: 'g', plural: 'widgets', subresource: '', namespace: 'ns', name: 'w' };
const attributes: Attributes = { user: 'me', groups: ['all', 'some'], verb: 'create', path: '/apis/g/v1', resource };
const ofServer: Attributes = { user: 'me', groups: [], verb: 'get', path: '/healthz/etcd' };
const ofStatus: Attributes = { ...attributes, resource: { ...resource, subresource: 'status' } };

describe('a rule', () => {
  it.each([
    { reason: 'without criteria', rule: {}, of: attributes, matches: true },
    { reason: 'without criteria, for a non-resource request', rule: {}, of: ofServer, matches: true },
    { reason: 'for the user', rule: { users: ['you', 'me'] }, of: attributes, matches: true },
    { reason: 'for another user', rule: { users: ['you'] }, of: attributes, matches: false },
    { reason: 'for a group of the user', rule: { userGroups: ['some'] }, of: attributes, matches: true },
    { reason: 'for another group', rule: { userGroups: ['none'] }, of: attributes, matches: false },
    { reason: 'for the verb', rule: { verbs: ['create'] }, of: attributes, matches: true },
    { reason: 'for another verb', rule: { verbs: ['get'] }, of: attributes, matches: false },
    { reason: 'for the group', rule: { resources: [{ group: 'g' }] }, of: attributes, matches: true },
    { reason: 'for the group and all below', rule: { resources: [{ group: 'g' }] }, of: ofStatus, matches: true },
    { reason: 'for another group', rule: { resources: [{ group: '' }] }, of: attributes, matches: false },
    {
      reason: 'for the resource',
      rule: { resources: [{ group: 'g', resources: ['widgets'] }] },
      of: attributes,
      matches: true,
    },
    {
      reason: 'for the resource without what is below',
      rule: { resources: [{ group: 'g', resources: ['widgets'] }] },
      of: ofStatus,
      matches: false,
    },
    {
      reason: 'for what is below',
      rule: { resources: [{ group: 'g', resources: ['widgets/*'] }] },
      of: ofStatus,
      matches: true,
    },
    {
      reason: 'for what is below, not the resource',
      rule: { resources: [{ group: 'g', resources: ['widgets/*'] }] },
      of: attributes,
      matches: false,
    },
    {
      reason: 'for every status',
      rule: { resources: [{ group: 'g', resources: ['*/status'] }] },
      of: ofStatus,
      matches: true,
    },
    {
      reason: 'for one of it',
      rule: { resources: [{ group: 'g', resources: ['widgets/status'] }] },
      of: ofStatus,
      matches: true,
    },
    {
      reason: 'for everything of the group',
      rule: { resources: [{ group: 'g', resources: ['*'] }] },
      of: ofStatus,
      matches: true,
    },
    {
      reason: 'for the name',
      rule: { resources: [{ group: 'g', resourceNames: ['w'] }] },
      of: attributes,
      matches: true,
    },
    {
      reason: 'for another name',
      rule: { resources: [{ group: 'g', resourceNames: ['v'] }] },
      of: attributes,
      matches: false,
    },
    { reason: 'for the namespace', rule: { namespaces: ['ns'] }, of: attributes, matches: true },
    { reason: 'for no namespace', rule: { namespaces: [''] }, of: attributes, matches: false },
    { reason: 'for resources', rule: { resources: [{ group: 'g' }] }, of: ofServer, matches: false },
    { reason: 'for the address', rule: { nonResourceURLs: ['/healthz/etcd'] }, of: ofServer, matches: true },
    { reason: 'for addresses that begin so', rule: { nonResourceURLs: ['/healthz*'] }, of: ofServer, matches: true },
    { reason: 'for another address', rule: { nonResourceURLs: ['/healthz'] }, of: ofServer, matches: false },
    { reason: 'for addresses, of a resource', rule: { nonResourceURLs: ['*'] }, of: attributes, matches: false },
  ])('$reason: $matches', ({ rule, of, matches }) => {
    const policy = parseAuditPolicy(aPolicy([{ level: 'Metadata', ...rule }]));
    expect(decideAudit(policy, of).level).toBe(matches ? 'Metadata' : 'None');
  });
});

describe('a policy', () => {
  it('decides by its first rule that matches, whose settings add to its own', () => {
    const rules = [
      { level: 'None', verbs: ['get'] },
      { level: 'Request', omitStages: ['ResponseStarted'], omitManagedFields: false },
      { level: 'RequestResponse' },
    ];
    const policy = parseAuditPolicy(aPolicy(rules, { omitStages: ['RequestReceived'], omitManagedFields: true }));
    expect(decideAudit(policy, ofServer).level).toBe('None');
    expect(decideAudit(policy, attributes)).toEqual({
      level: 'Request',
      omitStages: ['RequestReceived', 'ResponseStarted'],
      omitManagedFields: false,
    });
  });

  it('accepts the policy that this project generates', () => {
    const file = path.join(projectRoot, 'infra/kubernetes', auditPolicyPath);
    const policy = parseAuditPolicy(parse(readFileSync(file, 'utf8')));
    const clusters = { ...resource, group: 'cluster.x-k8s.io', plural: 'clusters' };
    const patch = { ...attributes, verb: 'patch', resource: { ...clusters, subresource: 'status' } };
    expect(decideAudit(policy, patch)).toMatchObject({ level: 'RequestResponse', omitManagedFields: true });
    expect(decideAudit(policy, { ...patch, verb: 'get' }).level).toBe('None');
  });

  it.each([
    {
      reason: 'another kind',
      raw: { apiVersion: 'audit.k8s.io/v1', kind: 'Polity', rules: [{ level: 'None' }] },
      says: 'kind',
    },
    { reason: 'no rules', raw: aPolicy([]), says: 'rules' },
    { reason: 'an unknown level', raw: aPolicy([{ level: 'All' }]), says: 'rules.0.level' },
    { reason: 'an unknown member of a rule', raw: aPolicy([{ level: 'None', verb: ['get'] }]), says: 'verb' },
  ])('cannot be used with $reason', ({ raw, says }) => {
    expect(() => parseAuditPolicy(raw)).toThrow(AuditPolicyError);
    expect(() => parseAuditPolicy(raw)).toThrow(says);
  });
});
