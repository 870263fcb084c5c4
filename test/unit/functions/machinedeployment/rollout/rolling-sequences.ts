// Rollouts by replacement, step by step.
import type { RolloutSequence } from './sequence.ts';

export const rollingSequences: readonly RolloutSequence[] = [
  {
    name: 'R1',
    about: '3 replicas, maxSurge 0, maxUnavailable 1',
    start: 'md 3/3 a3; ms1 3/3 a3 (m1,m2,m3)',
    rows: [
      '3/3 a3 u0 → 2 | new → 0 | ms1 −m1',
      '2/2 a2 u0 | 0/0 a0 u0 → 1 | ms2 +m4',
      '2/2 a2 u0 → 1 | 1/1 a1 u1 | ms1 −m2',
      '1/1 a1 u0 | 1/1 a1 u1 → 2 | ms2 +m5',
      '1/1 a1 u0 → 0 | 2/2 a2 u2 | ms1 −m3',
      '0/0 a0 u0 | 2/2 a2 u2 → 3 | ms2 +m6',
      '0/0 a0 u0 | 3/3 a3 u3 |',
    ],
    end: 'md 3/3 a3 u3; ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m4,m5,m6)',
  },
  {
    name: 'R2',
    about: '3 replicas, maxSurge 1, maxUnavailable 0',
    start: 'md 3/3 a3; ms1 3/3 a3 (m1,m2,m3)',
    rows: [
      '3/3 a3 u0 | new → 1 | ms2 +m4',
      '3/3 a3 u0 → 2 | 1/1 a1 u1 | ms1 −m1',
      '2/2 a2 u0 | 1/1 a1 u1 → 2 | ms2 +m5',
      '2/2 a2 u0 → 1 | 2/2 a2 u2 | ms1 −m2',
      '1/1 a1 u0 | 2/2 a2 u2 → 3 | ms2 +m6',
      '1/1 a1 u0 → 0 | 3/3 a3 u3 | ms1 −m3',
      '0/0 a0 u0 | 3/3 a3 u3 |',
    ],
    end: 'md 3/3 a3 u3; ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m4,m5,m6)',
  },
  {
    name: 'R3',
    about: '6 replicas, maxSurge 0, maxUnavailable 10',
    start: 'md 6/6 a6; ms1 6/6 a6 (m1,m2,m3,m4,m5,m6)',
    rows: [
      '6/6 a6 u0 → 0 | new → 0 | ms1 −m1,m2,m3,m4,m5,m6',
      '0/0 a0 u0 | 0/0 a0 u0 → 6 | ms2 +m7,m8,m9,m10,m11,m12',
      '0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R4',
    about: '6 replicas, maxSurge 1, maxUnavailable 3',
    start: 'md 6/6 a6; ms1 6/6 a6 (m1,m2,m3,m4,m5,m6)',
    rows: [
      '6/6 a6 u0 → 3 | new → 1 | ms1 −m1,m2,m3; ms2 +m7',
      '3/3 a3 u0 → 2 | 1/1 a1 u1 → 4 | ms1 −m4; ms2 +m8,m9,m10',
      '2/2 a2 u0 → 0 | 4/4 a4 u4 → 5 | ms1 −m5,m6; ms2 +m11',
      '0/0 a0 u0 | 5/5 a5 u5 → 6 | ms2 +m12',
      '0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R5',
    about: '6 replicas, maxSurge 3, maxUnavailable 1',
    start: 'md 6/6 a6; ms1 6/6 a6 (m1,m2,m3,m4,m5,m6)',
    rows: [
      '6/6 a6 u0 → 5 | new → 3 | ms1 −m1; ms2 +m7,m8,m9',
      '5/5 a5 u0 → 2 | 3/3 a3 u3 → 4 | ms1 −m2,m3,m4; ms2 +m10',
      '2/2 a2 u0 → 1 | 4/4 a4 u4 → 6 | ms1 −m5; ms2 +m11,m12',
      '1/1 a1 u0 → 0 | 6/6 a6 u6 | ms1 −m6',
      '0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R6',
    about: '6 replicas, maxSurge 10, maxUnavailable 0',
    start: 'md 6/6 a6; ms1 6/6 a6 (m1,m2,m3,m4,m5,m6)',
    rows: [
      '6/6 a6 u0 | new → 6 | ms2 +m7,m8,m9,m10,m11,m12',
      '6/6 a6 u0 → 0 | 6/6 a6 u6 | ms1 −m1,m2,m3,m4,m5,m6',
      '0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R7',
    about: '6 replicas, maxSurge 3, maxUnavailable 1, change spec',
    start: 'md 6/6 a6; ms1 3/3 a3 (m4,m5,m6); ms2 3/3 a3 (m7,m8,m9)',
    rows: [
      '3/3 a3 u0 → 2 | 3/3 a3 u0 | new → 3 | ms1 −m4; ms3 +m10,m11,m12',
      '2/2 a2 u0 → 0 | 3/3 a3 u0 → 2 | 3/3 a3 u3 → 4 | ms1 −m5,m6; ms2 −m7; ms3 +m13',
      '0/0 a0 u0 | 2/2 a2 u0 → 1 | 4/4 a4 u4 → 6 | ms2 −m8; ms3 +m14,m15',
      '0/0 a0 u0 | 1/1 a1 u0 → 0 | 6/6 a6 u6 | ms2 −m9',
      '0/0 a0 u0 | 0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 0/0 a0 u0 (none); ms3 6/6 a6 u6 (m10,m11,m12,m13,m14,m15)',
  },
  {
    name: 'R8',
    about: '6 replicas, maxSurge 3, maxUnavailable 1, scale up to 12',
    start: 'md 12/12 a12; ms1 3/3 a3 (m4,m5,m6); ms2 3/3 a3 (m7,m8,m9)',
    rows: [
      '3/3 a3 u0 | 3/3 a3 u0 → 12 | maxUnavailable breach; ms2 +m10,m11,m12,m13,m14,m15,m16,m17,m18',
      '3/3 a3 u0 → 0 | 12/12 a12 u12 | ms1 −m4,m5,m6',
      '0/0 a0 u0 | 12/12 a12 u12 |',
    ],
    end: 'md 12/12 a12 u12; ms1 0/0 a0 u0 (none); ms2 12/12 a12 u12 (m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18)',
  },
  {
    name: 'R9',
    about: '12 replicas, maxSurge 3, maxUnavailable 1, scale down to 6',
    start: 'md 6/6 a6; ms1 9/9 a9 (m4,m5,m6,m7,m8,m9,m10,m11,m12); ms2 3/3 a3 (m13,m14,m15)',
    rows: [
      '9/9 a9 u0 → 2 | 3/3 a3 u0 | maxSurge breach; ms1 −m4,m5,m6,m7,m8,m9,m10',
      '2/2 a2 u0 | 3/3 a3 u3 → 6 | ms2 +m16,m17,m18',
      '2/2 a2 u0 → 0 | 6/6 a6 u6 | ms1 −m11,m12',
      '0/0 a0 u0 | 6/6 a6 u6 |',
    ],
    end: 'md 6/6 a6 u6; ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m13,m14,m15,m16,m17,m18)',
  },
];
