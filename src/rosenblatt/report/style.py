"""The style sheet of reports: light and dark, screen and paper, wide and narrow."""

_LIGHT = """
--paper:#fff;--ink:#1c2126;--soft:#59636e;--rule:#dde2e7;--faint:#f5f7f9;
--blue:#0072b2;--orange:#b8500a;--red:#b00020;--heat-right:0 114 178;--heat-error:213 94 0;
--c0:#0072b2;--c1:#d07a00;--c2:#00805c;--c3:#b5508a;--c4:#c24a00;--c5:#2b8cc4;--c6:#8a7d00;--c7:#444;
"""
_DARK = """
--paper:#15181c;--ink:#e8eaed;--soft:#9aa4af;--rule:#31373e;--faint:#1d2126;
--blue:#5ab4ec;--orange:#f0a04b;--red:#ff8a8a;--heat-right:70 160 220;--heat-error:220 120 40;
--c0:#5ab4ec;--c1:#f0a83c;--c2:#3cc79c;--c3:#e29ac6;--c4:#ff8f52;--c5:#8ccdf2;--c6:#e0d558;--c7:#c4c9cf;
"""

STYLE = (
    ":root{color-scheme:light dark;"
    + _LIGHT
    + "}@media screen and (prefers-color-scheme:dark){:root{"
    + _DARK
    + """}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:54rem;padding:2.5rem 1.25rem 3rem;background:var(--paper);
color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",
"Noto Sans",Arial,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.7rem;line-height:1.2;margin:0;font-weight:650;letter-spacing:-.01em;
overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.75rem 0 .25rem;font-weight:650}
h3{font-size:.95rem;margin:0 0 .5rem;font-weight:600}
p{margin:.25rem 0 1rem;max-width:42rem}
.lead{color:var(--soft);margin:.35rem 0 1.75rem}
.note,figcaption{color:var(--soft);font-size:.9rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));
border-top:1px solid var(--rule);border-bottom:1px solid var(--rule);margin:0;padding:0}
.tiles div{padding:1rem 1.25rem 1rem 0}
.tiles dt{font-size:.85rem;color:var(--soft)}
.tiles dd{margin:0}
.tiles .value{font-size:1.65rem;font-weight:600;line-height:1.3;letter-spacing:-.01em}
.tiles .detail{font-size:.85rem;color:var(--soft);line-height:1.4}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));
gap:1.5rem 2rem;margin-top:1rem}
figure{margin:0}
figure.wide{max-width:34rem;margin-top:1rem}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,
sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink)}
svg .tick,svg .axis,svg .note{fill:var(--soft)}
svg .grid{stroke:var(--rule)}
svg .pass{stroke:var(--rule);stroke-dasharray:2 3}
svg .curve{fill:none;stroke:var(--blue);stroke-width:2;stroke-linejoin:round}
svg .other{stroke:var(--orange)}
svg .under{fill:var(--blue);opacity:.12}
svg .dot{fill:var(--blue)}
svg .dot.other{fill:var(--orange);stroke:none}
svg .strong,svg .bound-text,svg .note{paint-order:stroke;stroke:var(--paper);stroke-width:3px;
stroke-linejoin:round}
svg .strong{fill:var(--blue);font-weight:600}
svg .strong.other{fill:var(--orange);stroke:var(--paper)}
svg .bound{stroke:var(--red);stroke-width:1.5;stroke-dasharray:6 4}
svg .bound-text{fill:var(--red)}
svg .mean{stroke:var(--soft);stroke-dasharray:2 3}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}
.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
svg .region{fill:var(--c);fill-opacity:.1;stroke:var(--paper);stroke-width:1}
svg .point{fill:var(--c);fill-opacity:.8;stroke:var(--paper);stroke-width:.6}
svg .point.wrong{stroke:var(--ink);stroke-width:1.4}
svg .boundary{stroke:var(--ink);stroke-width:1.6}
svg .normal{stroke:var(--ink);stroke-width:1.6}
svg .head{fill:var(--ink)}
.plane .strong{fill:var(--ink);font-style:italic}
.key{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:.5rem 0 0;padding:0;list-style:none;
font-size:.9rem;color:var(--soft)}
.key li{display:flex;align-items:center;gap:.4rem;overflow-wrap:anywhere}
.key i{flex:none;width:.7rem;height:.7rem;border-radius:50%;background:var(--c)}
.key i.square{border-radius:1px}
.key i.ring{background:none;border:1.6px solid var(--ink)}
table{border-collapse:collapse;font-size:.92rem;margin:0}
th{font-weight:400;text-align:left}
.scroll{overflow-x:auto;margin:.75rem 0 .5rem}
.figure{text-align:right;white-space:nowrap}
.confusion td,.confusion th{padding:.4rem .7rem;text-align:right;white-space:nowrap}
.confusion tbody td{min-width:4rem;border:2px solid var(--paper)}
.confusion th[scope=row],.confusion .corner{text-align:left;padding-left:0}
.confusion .over{text-align:center;color:var(--soft);font-size:.85rem;padding-bottom:0}
.confusion .corner,.confusion .margin{color:var(--soft);font-size:.85rem}
.confusion .right{background:rgb(var(--heat-right)/var(--heat,0))}
.confusion .error{background:rgb(var(--heat-error)/var(--heat,0))}
.list th{color:var(--soft);font-size:.85rem;border-bottom:1px solid var(--rule)}
.list td,.list th{padding:.3rem 1.5rem .3rem 0}
.list .figure{padding:.3rem 0 .3rem 1rem}
.panel-alone{max-width:42rem;margin-top:1rem}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));
gap:1.75rem 2.5rem;margin-top:1rem}
.bars{width:100%;table-layout:fixed;align-self:start}
.bars caption{text-align:left;padding-bottom:.35rem}
.bars caption.sides{padding-bottom:.5rem}
.bars .sides span{display:inline-block;width:50%;color:var(--soft)}
.bars .sides span:first-child{text-align:left}
.bars .sides span:last-child{text-align:right}
.bars .sides b{color:var(--ink)}
.bars .name{width:34%}
.panels .name{width:42%}
.bars .weight{width:5rem}
.bars th{padding:.12rem .75rem .12rem 0;line-height:1.3;overflow-wrap:anywhere}
.bars .bar{padding:0}
.bars .bar svg{height:.95rem}
.bars .figure{color:var(--soft);font-size:.85rem}
svg .pro{fill:var(--blue)}
svg .contra{fill:var(--orange)}
svg .zero{stroke:var(--soft);stroke-width:1;vector-effect:non-scaling-stroke}
.facts{width:100%;margin-top:.75rem}
.facts th,.facts td{padding:.4rem 0;border-top:1px solid var(--rule);vertical-align:top;
overflow-wrap:anywhere}
.facts th{width:15rem;color:var(--soft);padding-right:1rem}
pre{margin:.75rem 0 0;padding:.8rem 1rem;background:var(--faint);border:1px solid var(--rule);
border-radius:6px;font:.88rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
monospace;white-space:pre-wrap;overflow-wrap:anywhere}
pre .word,.whole{display:inline-block}
.facts+.note{margin-top:1rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--rule);color:var(--soft);
font-size:.85rem}
@media (max-width:36rem){
body{padding:1.5rem 1rem 2rem}
.tiles{grid-template-columns:1fr 1fr}
.facts th{width:9rem}
.bars .name,.panels .name{width:42%}
.bars .weight{width:4.2rem}
}
@media print{
body{max-width:none;padding:0;font-size:10.5pt}
h2{break-after:avoid}
figure,table,pre,.tiles{break-inside:avoid}
.scroll{overflow:visible}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""
)
