import { describe, expect, it } from 'vitest';
import { parseApply, parseDelete, parseList, parseWrite } from '../../../../../packages/apiserver/http/parameters.ts';
import { causesOf, refusalOf } from '../core/core-with-widgets.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);

describe('the parameters of a write', () => {
  it('by default warn about unknown fields and store', () => {
    expect(parseWrite(query(''), 'CreateOptions')).toEqual({
      dryRun: false,
      fieldValidation: 'Warn',
      fieldManager: '',
    });
    expect(parseWrite(query('dryRun=All&fieldValidation=Strict&fieldManager=me'), 'UpdateOptions')).toEqual({
      dryRun: true,
      fieldValidation: 'Strict',
      fieldManager: 'me',
    });
  });

  it('name the manager of an apply, and may take fields by force', () => {
    expect(parseApply(query('fieldManager=me'))).toMatchObject({ fieldManager: 'me', force: false });
    expect(parseApply(query('fieldManager=me&force=true')).force).toBe(true);
    expect(causesOf(() => parseApply(query('force=true')))).toEqual(['FieldValueRequired fieldManager']);
  });

  it.each([
    ['dryRun=Some', 'FieldValueNotSupported dryRun'],
    ['fieldValidation=Lax', 'FieldValueNotSupported fieldValidation'],
    [`fieldManager=${'m'.repeat(129)}`, 'FieldValueTooLong fieldManager'],
    ['fieldManager=a%07b', 'FieldValueInvalid fieldManager'],
    ['force=true', 'FieldValueForbidden force'],
  ])('%s is refused as %s', (text, cause) => {
    expect(causesOf(() => parseWrite(query(text), 'PatchOptions'))).toEqual([cause]);
    expect(refusalOf(() => parseWrite(query(text), 'PatchOptions')).details).toMatchObject({
      kind: 'PatchOptions',
      group: 'meta.k8s.io',
    });
  });
});

describe('the options of a delete', () => {
  it.each([
    ['propagationPolicy=Foreground', undefined, { propagationPolicy: 'Foreground' }, 'no body'],
    ['propagationPolicy=Foreground', {}, {}, 'a body hides the query'],
    ['orphanDependents=true', undefined, { propagationPolicy: 'Orphan' }, 'the older spelling'],
    ['', { preconditions: { uid: 'u', resourceVersion: '1' } }, { uid: 'u', resourceVersion: '1' }, 'preconditions'],
    ['', { kind: 'DeleteOptions', gracePeriodSeconds: null, propagationPolicy: null }, {}, 'no effect'],
    ['', { gracePeriodSeconds: 3 }, { gracePeriodSeconds: 3 }, 'a grace period'],
    ['gracePeriodSeconds=-1', undefined, { gracePeriodSeconds: -1 }, 'a grace period in the query'],
  ])('%s with the body %j are %j: %s', (text, body, options, _reason) => {
    expect(parseDelete(query(text), body)).toEqual({ dryRun: false, options });
  });

  it.each([
    ['dryRun=All', undefined],
    ['', { dryRun: ['All'] }],
  ])('%s with the body %j delete nothing', (text, body) => {
    expect(parseDelete(query(text), body).dryRun).toBe(true);
  });

  it.each([
    [{ propagationPolicy: 'Never' }, 'FieldValueNotSupported propagationPolicy'],
    [{ dryRun: ['Some'] }, 'FieldValueNotSupported dryRun'],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, 'FieldValueInvalid propagationPolicy'],
  ])('%j is refused as %s', (body, cause) => {
    expect(causesOf(() => parseDelete(query(''), body))).toEqual([cause]);
  });

  it.each([
    [[]],
    ['x'],
    [{ kind: 'Secret' }],
    [{ preconditions: 1 }],
    [{ preconditions: { uid: 1 } }],
    [{ dryRun: 1 }],
    [{ gracePeriodSeconds: '3' }],
    [{ gracePeriodSeconds: 0.5 }],
  ])('%j are not options', body => {
    expect(refusalOf(() => parseDelete(query(''), body)).code).toBe(400);
  });
});

it.each(['x', '1.5', '-'])('a grace period %s in the query is refused', text => {
  expect(refusalOf(() => parseDelete(query(`gracePeriodSeconds=${text}`), undefined)).code).toBe(400);
});

describe('the parameters of a list or watch', () => {
  it('are all optional', () => {
    expect(parseList(query(''), 'list')).toMatchObject({ limit: 0, continue: '', timeoutSeconds: undefined });
    expect(parseList(query('limit=2&timeoutSeconds=5&allowWatchBookmarks=true'), 'watch')).toMatchObject({
      limit: 2,
      timeoutSeconds: 5,
      bookmarks: true,
    });
  });

  it.each([
    ['sendInitialEvents=true', 'watch', 'FieldValueForbidden sendInitialEvents'],
    ['resourceVersionMatch=Exact', 'list', 'FieldValueForbidden resourceVersionMatch'],
    ['resourceVersionMatch=Exact&resourceVersion=0', 'list', 'FieldValueForbidden resourceVersionMatch'],
    ['resourceVersionMatch=Near&resourceVersion=7', 'list', 'FieldValueNotSupported resourceVersionMatch'],
    ['resourceVersionMatch=Exact&resourceVersion=7', 'watch', 'FieldValueForbidden resourceVersionMatch'],
  ] as const)('%s of a %s is refused as %s', (text, verb, cause) => {
    expect(causesOf(() => parseList(query(text), verb))).toEqual([cause]);
  });

  it.each([['limit=many'], ['resourceVersion=x'], ['continue=abc&resourceVersion=7'], ['timeoutSeconds=1.5']])(
    '%s is malformed',
    text => {
      expect(refusalOf(() => parseList(query(text), 'list')).code).toBe(400);
    },
  );
});
