import { expect, it } from 'vitest';
import { isReservedUsername } from './reserved-username.ts';

it.each([
  'admin',
  'Admin',
  '_admin_',
  'a_d_m_i_n',
  'adm1n',
  'admln',
  'ADMlN',
  'adrnin',
  '4dm1n',
  'admin2',
  'admin_01',
  'r00t',
  'ro0t',
  'm0derator',
  'rnoderator',
  'supp0rt',
  'au7hor',
  'C0terie',
  'Unknown_User',
])('the username %s is reserved', username => {
  expect(isReservedUsername(username)).toBe(true);
});

it.each(['lucy', 'arthur', 'administra', 'rooted', 'authority', 'adam1n', 'helpful_one', 'tim_2', 'badmin'])(
  'the username %s is free',
  username => {
    expect(isReservedUsername(username)).toBe(false);
  },
);
