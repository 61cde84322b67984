/** CSV with a header line. */
import { filter, type Target } from '../_target.ts'

export const target: Target = {
  words: ['"', '""', ',', '\r\n', '\n', '\t', '\ufeff', '"\n"', 'jb', '__proto__', ',,', '\u0000', ';'],
  seeds: () => [
    'a,b,c\n1,"x ""y""\nz",3\n,,\n',
    '\ufeffid\tt\r\n1\t"2"\r\n',
    'question,response_A\n"é",5" disk\n',
  ],
  run: async (stdin) => [
    await filter('read', ['csv'], { stdin }),
    await filter('read', ['csv', '--bad-rows', 'pass', '--delimiter', ';'], { stdin }),
  ],
}
