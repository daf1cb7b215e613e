1 | 1:0.5 3:-2e-1 17
-1 |a b c:2
0.5 2.5 'tag|user id:3 name |ad:0.5 size:2 x
| no label
1 0 |z w
spam |text free offer
2 1 0.3 tag|f 1:0.25 2 3:12.5 4444:0.75
1|a
'only |a b
 3   1.5   |  x:1   y:2.0	z
1 | a^b:2 12345678:1 123456789012345678901:1 :1
1 |n:1e3 1:1e300 2:0.12345678901234567
-1 |é ü:1 ™
1 |ns :0.5 :2 city:oslo |5 3 a :1 17:2
tag|a city: oslo b:0 c:-.5 d: 3 :word |ab x y:.5 z
'tag|a e:x:y f: |n:2 :3 q:word :nan p:nano
1:2:0.5 | a:1
1:0.5 2:1.5 | a
1,2,3 | a
shared | a
ccb slot 0:0.8:1 | x
1 2:1 tag| a:inf b:abc|c d
