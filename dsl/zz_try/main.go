package main
import ("bufio";"fmt";"os";"github.com/cbpolicy/cbpolicy/dsl";"github.com/cbpolicy/cbpolicy/diag")
func main(){ sc:=bufio.NewScanner(os.Stdin); for sc.Scan(){ r,f:=dsl.ParseRule("",diag.Position{Line:1,Column:1},sc.Text()); if f!=nil { diag.Text(os.Stdout,diag.List{f},diag.TextOptions{}) } else { fmt.Println("OK  ",r,"   id:",r.ID()) } } }
